import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, Redis } from 'ioredis';
import { observed } from './checkpoint.js';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));
const LONGEST_ARGUMENT = 120;
/** Commands of the connection itself; some contain the password. */
const NOT_SHOWN = ['hello', 'auth', 'client', 'info', 'select', 'readonly'];

interface Sender {
  sendCommand: (this: Redis, command: Command, ...rest: []) => unknown;
}

/** Reports the commands of every Redis connection to the experiment. Only for armed instances. */
export function observeRedisCommands(): void {
  const scripts = scriptNames();
  const connections: Sender = Redis.prototype;
  const send = connections.sendCommand;
  connections.sendCommand = function (command, ...rest) {
    const answer = send.call(this, command, ...rest);
    if (NOT_SHOWN.includes(command.name)) return answer;
    // The caller handles the reply and its errors; here only its time matters.
    observed('redis', describe(command, scripts), () => command.promise).catch(() => undefined);
    return answer;
  };
}

function describe(command: Command, scripts: ReadonlyMap<string, string>): string {
  const words = command.args.map((word) => String(word)).map((word) => scripts.get(word) ?? word);
  return [command.name.toUpperCase(), ...words.map((word) => word.slice(0, LONGEST_ARGUMENT))].join(' ');
}

/** EVALSHA names a script by its hash and EVAL by its text; evidence names it by its file. */
function scriptNames(): Map<string, string> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.lua'))
    .map((file) => ({
      folder: dirname(file),
      name: basename(file),
      text: readFileSync(`${SOURCES}${file}`, 'utf8'),
    }));
  // A script may begin with a file that several scripts of its folder share.
  const joined = files.flatMap(({ folder, name, text }) =>
    files
      .filter((shared) => shared.folder === folder && shared.name !== name)
      .map((shared) => ({ name, text: `${shared.text}\n${text}` })),
  );
  return new Map(
    [...joined, ...files].flatMap(({ name, text }) => [
      [createHash('sha1').update(text).digest('hex'), name],
      [text, name],
    ]),
  );
}
