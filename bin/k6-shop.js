// Finds the shop for a load test, and checks that the test can start.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The shop does not answer or refuses access; the message says which. */
export class ShopError extends Error {}

/** @typedef {{BASE_URL: string, ADMIN_TOKEN: string}} ShopAccess */

const PATIENCE_MS = 5000;

/**
 * The shop that BASE_URL names, or the lab that runs in this folder; undefined when there is neither.
 * @param {NodeJS.ProcessEnv} env @param {string} folder
 * @returns {Promise<ShopAccess | undefined>}
 */
export async function findShop(env, folder) {
  const lab = labIn(folder);
  const url = env['BASE_URL'] || lab?.url;
  if (!url) return undefined;
  if (!URL.canParse(url)) {
    throw new ShopError(`BASE_URL must look like http://localhost:8080, not ${JSON.stringify(url)}.`);
  }
  const token = env['ADMIN_TOKEN'] || (lab?.url === url.replace(/\/$/, '') ? lab.token : undefined);
  if (!token)
    throw new ShopError(
      `ADMIN_TOKEN is missing: set it to the token with which the shop at ${url} was started.`,
    );
  const shop = { BASE_URL: url.replace(/\/$/, ''), ADMIN_TOKEN: token };
  await check(shop, names(env));
  return shop;
}

/**
 * The lab that runs in the folder, found by the file that it writes there (src/lab/data-folder.ts).
 * @param {string} folder
 */
function labIn(folder) {
  const note = join(folder, 'lab.json');
  if (!existsSync(note)) return undefined;
  /** @type {{lab: {pid: number, startedAt: string}, url: string, adminToken: string}} */
  const { lab, url, adminToken } = JSON.parse(readFileSync(note, 'utf8'));
  return startOf(lab.pid) === lab.startedAt ? { url, token: adminToken } : undefined;
}

/**
 * When the process started: another process may have got its id. As in src/lab/processes/proc.ts.
 * @param {number} pid
 */
function startOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}

/**
 * The strategies that the settings name; none when the script uses its default.
 * @param {NodeJS.ProcessEnv} env
 */
function names({ STRATEGY = '', STRATEGIES = '' }) {
  return `${STRATEGY},${STRATEGIES}`
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

/** @param {ShopAccess} shop @param {string[]} wanted */
async function check({ BASE_URL, ADMIN_TOKEN }, wanted) {
  const strategies = await ask(`${BASE_URL}/strategies`, {});
  const known = /** @type {{name: string}[] | undefined} */ (await strategies.json().catch(() => undefined));
  if (!strategies.ok || !Array.isArray(known)) {
    throw new ShopError(
      `${BASE_URL} is not a Lockstock shop: GET /strategies answered ${strategies.status}.`,
    );
  }
  const unknown = wanted.find((name) => !known.some((strategy) => strategy.name === name));
  if (unknown !== undefined) {
    const all = known.map(({ name }) => name).join(', ');
    throw new ShopError(`there is no strategy ${JSON.stringify(unknown)}. The strategies are: ${all}.`);
  }
  // A reset without a stock changes nothing. It is refused with 400 if the token is right, and with 401 if it is wrong.
  const reset = await ask(`${BASE_URL}/goods/1/reset`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` },
    body: '{}',
  });
  if (reset.status === 401) {
    throw new ShopError(
      `the shop at ${BASE_URL} does not accept ADMIN_TOKEN: it is not the token of this shop.`,
    );
  }
}

/** @param {string} url @param {RequestInit} init */
async function ask(url, init) {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch {
    throw new ShopError(`${new URL(url).origin} does not answer. Is the shop running?`);
  }
}
