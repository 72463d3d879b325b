#!/usr/bin/env node
// The command line. Help and doctor need no set-up; every other command first runs the set-up, then calls the lab.
import { HELP } from './help.js';

const [command, ...args] = process.argv.slice(2);
/** These commands start no servers, so they need none. */
const WITHOUT_SERVERS = ['probe', 'new'];
const known = command !== undefined && command !== 'lockstock' && Object.hasOwn(HELP, command);

if (command === undefined || command === '--help' || command === '-h' || command === 'help') {
  const topic = args[0] !== undefined && Object.hasOwn(HELP, args[0]) ? args[0] : 'lockstock';
  console.log(HELP[topic]);
} else if (!known) {
  console.error(
    `lockstock: unknown command ${JSON.stringify(command)}. Run \`lockstock --help\` for a list.`,
  );
  process.exitCode = 2;
} else if (args.includes('--help') || args.includes('-h')) {
  console.log(HELP[command]);
} else if (command === 'doctor' && args.length > 0) {
  console.error(
    `lockstock: doctor takes no arguments, but ${JSON.stringify(args[0])} was given. Run \`lockstock doctor\`.`,
  );
  process.exitCode = 2;
} else if (command === 'doctor') {
  const { doctor } = await import('./doctor.js');
  process.exitCode = (await doctor()) ? 0 : 1;
} else {
  const { setUpOrExit } = await import('./setup.js');
  setUpOrExit(WITHOUT_SERVERS.includes(command) ? 'no-servers' : 'start');
  const lab = new URL('../dist/src/lab/main.js', import.meta.url).href;
  /** @type {{main: (command: string, args: string[]) => Promise<number>}} */
  const { main } = await import(lab);
  // An explicit exit: after Ctrl-C an experiment may still wait for servers that have been stopped.
  process.exit(await main(command, args));
}
