import { fork } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { FAMILIES, type StrategyMetadata } from '../../contract/strategy.js';
import { UsageError } from '../errors.js';
import { COLUMNS } from '../experiments/matrix/columns.js';
import { explorableStrategies } from '../explorer/explorable.js';
import { ROOT } from '../paths.js';
import { NAME } from './names.js';

const PROGRAM = join(ROOT, 'dist/src/lab/own/declared-program.js');
const LOADS_WITHIN_MS = 20_000;
/** Characters of its output on stderr. */
const MOST_SAID = 100_000;

const FAULTS_OF_THE_MATRIX = COLUMNS.map(({ fault }) => fault).filter((fault) => fault !== 'none');

const Metadata = z.object({
  name: z.string().regex(NAME, 'must be 2 to 40 small letters, digits and dashes, such as my-strategy'),
  family: z.enum(FAMILIES).exclude(['specimen']),
  lesson: z.int().min(0).max(1000),
  title: z.string().min(1).max(100),
  stock: z.enum(['mysql', 'redis']),
  needs: z.array(z.enum(['mysql', 'redis', 'redlock', 'etcd', 'zookeeper'])).min(1),
  safe: z.enum(['always', 'while-the-lease-holds', 'one-process', 'never']),
  breaksUnder: z.array(z.enum(FAULTS_OF_THE_MATRIX)),
  losesUnder: z.array(z.string()).optional(),
  teaches: z.string().max(500),
});

/** What the strategy in the compiled file declares, checked. */
export async function declaredIn(compiled: string, path: string): Promise<StrategyMetadata> {
  const found = await load(compiled, path);
  const [strategy] = found;
  if (!strategy || found.length > 1)
    throw new UsageError(
      `${path} exports ${found.length} classes with @Strategy. Export exactly one; \`npx lockstock new\` writes an example.`,
    );
  const parsed = Metadata.safeParse(strategy.metadata);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path: place, message }) => `  ${place.join('.')}: ${message}`);
    throw new UsageError(`The metadata of the strategy in ${path} is wrong:\n${wrong.join('\n')}`);
  }
  if (!strategy.deducts) throw new UsageError(`The strategy in ${path} has no method deduct.`);
  const { name } = strategy.metadata;
  if ((await explorableStrategies()).some((other) => other.name === name))
    throw new UsageError(`Lockstock has a strategy ${name} already. Choose another name in ${path}.`);
  return strategy.metadata;
}

interface Declared {
  readonly metadata: StrategyMetadata;
  readonly deducts: boolean;
}

function load(compiled: string, path: string): Promise<readonly Declared[]> {
  const child = fork(PROGRAM, [compiled], {
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: LOADS_WITHIN_MS,
    killSignal: 'SIGKILL',
    env: { PATH: process.env['PATH'] ?? '' },
  });
  let declared: readonly Declared[] | undefined;
  let said = '';
  child.on('message', (sent) => (declared = sent as readonly Declared[]));
  child.stderr?.on('data', (text) => (said = `${said}${String(text)}`.slice(0, MOST_SAID)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (declared) resolve(declared);
      else if (signal === 'SIGKILL')
        reject(
          new UsageError(
            `${path} was not loaded within ${LOADS_WITHIN_MS / 1000} s: the code outside of its class does not end.`,
          ),
        );
      else if (code === 0 || said.trim() === '')
        reject(
          new UsageError(
            `${path} cannot be loaded: the process ended (${signal ?? `exit code ${code}`}) before the file was read. Remove process.exit() and an await that never ends from the code outside of its class.`,
          ),
        );
      else reject(new UsageError(`${path} cannot be loaded:\n${reason(said)}`));
    });
  });
}

/** The error and the places in the user's file, without Node's own frames. */
function reason(said: string): string {
  const lines = said
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at .*(node:|\/dist\/)/.test(line));
  return lines
    .map((line) => `  ${line}`)
    .slice(0, 8)
    .join('\n');
}
