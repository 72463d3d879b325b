/** `npm run fuzz:locks`: see HELP in options.ts. */
import { interruption } from '../../src/lab/interruption.js';
import { terminal } from '../../src/lab/terminal.js';
import { Campaign } from './campaign.js';
import { type FuzzOptions, HELP, readOptions, UsageError } from './options.js';
import { Fuzzer } from './run/fuzz.js';
import { FuzzServers } from './run/servers.js';

async function fuzz(options: FuzzOptions): Promise<number> {
  const stop = interruption();
  const servers = await terminal.step('starting private servers', () =>
    FuzzServers.start(options.topology, (message) => {
      terminal.say(message);
    }),
  );
  try {
    const fuzzer = await Fuzzer.open(servers.places, servers.reaper, options);
    try {
      const campaign = new Campaign(fuzzer, options, servers.places, stop);
      const failed = await (options.plan ? campaign.replay(options.plan) : campaign.run());
      return stop.aborted ? 130 : failed ? 1 : 0;
    } finally {
      await fuzzer.close();
    }
  } finally {
    await servers.stop();
  }
}

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options) return await fuzz(options);
    terminal.print(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) {
      terminal.warn(
        `The fuzzer itself failed: ${error instanceof Error ? (error.stack ?? '') : String(error)}`,
      );
      return 3;
    }
    terminal.say(`${error.message}\n\n${HELP}`);
    return 2;
  }
}

void main().then((code) => process.exit(code));
