import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { LabError } from './errors.js';

/**
 * Below the ports that the system uses for outgoing connections, and chosen at random: between the choice and the start of
 * the server nothing reserves the port, and another lab would choose the same one.
 */
const CHOICE = '15000-32000';
const TRIES = 1000;
/** Ports that were chosen already: their servers may not listen yet. */
const chosen = new Set<number>();

function open(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

function close(server: Server): Promise<number> {
  const address = server.address();
  return new Promise((resolve) => {
    server.close(() => {
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

/** A port that is free at the moment. */
export async function freePort(): Promise<number> {
  return close(await openAny());
}

/** Several free ports. All are held until the last one is found, so that no port is chosen twice. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, openAny));
  return Promise.all(servers.map(close));
}

async function openAny(): Promise<Server> {
  const [from, to] = choice();
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(from, to);
    if (chosen.has(port)) continue;
    chosen.add(port);
    const server = await open(port).catch(() => undefined);
    if (server) return server;
  }
  throw new LabError(`No free port was found between ${from} and ${to}.`);
}

/** With LOCKSTOCK_PORTS, labs that run at the same time can use different ranges. */
function choice(): [from: number, to: number] {
  const range = process.env['LOCKSTOCK_PORTS'] ?? CHOICE;
  const [, from = 0, to = 0] = (/^(\d{4,5})-(\d{4,5})$/.exec(range) ?? []).map(Number);
  if (from < 1024 || to > 65_535 || to <= from) {
    throw new LabError(`LOCKSTOCK_PORTS must be a range such as ${CHOICE}, not ${JSON.stringify(range)}.`);
  }
  return [from, to];
}

/** The wanted port. If it is in use and only a default, the next free one. */
export async function choosePort(wanted: number, isDefault: boolean): Promise<number> {
  const last = isDefault ? wanted + 100 : wanted;
  for (let port = wanted; port <= last; port += 1) {
    try {
      const server = await open(port);
      chosen.add(port);
      return await close(server);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') {
        throw new LabError(`Port ${port} needs root. Choose one above 1023 with --port.`);
      }
    }
  }
  throw new LabError(
    `Port ${wanted} is in use. Stop the program that uses it, or choose another port with --port.`,
  );
}
