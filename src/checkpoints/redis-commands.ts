import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, Redis } from 'ioredis';
import { holdsCommands, observed } from './checkpoint.js';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));
const LONGEST_ARGUMENT = 120;
/** Commands of the connection itself; some contain the password. */
const NOT_SHOWN = ['hello', 'auth', 'client', 'info', 'select', 'readonly'];

type Rest = [stream?: Parameters<Redis['sendCommand']>[1]];

interface Sender {
  sendCommand: (this: Redis, command: Command, ...rest: Rest) => unknown;
}

/** Every connection that has sent a command, with a number. */
const CONNECTIONS = new Map<Redis, number>();

/** Reports the commands of every Redis connection to the experiment. Only for armed instances. */
export function observeRedisCommands(): void {
  const scripts = scriptNames();
  const connections: Sender = Redis.prototype;
  const send = connections.sendCommand;
  const hold = holder(send, scripts);
  connections.sendCommand = function (command, ...rest) {
    if (!CONNECTIONS.has(this)) CONNECTIONS.set(this, CONNECTIONS.size + 1);
    if (!NOT_SHOWN.includes(command.name) && holdsCommands()) return hold(this, command, rest);
    const answer = send.call(this, command, ...rest);
    if (NOT_SHOWN.includes(command.name)) return answer;
    // The caller handles the reply and its errors; here only its time matters.
    const details = { port: this.options.port ?? 0 };
    observed('redis', describe(command, scripts), () => command.promise, details).catch(() => undefined);
    return answer;
  };
}

/** Connections that the explorer has broken, with the socket that broke, until they are restored. */
const BROKEN = new Map<Redis, Redis['stream']>();
const RESTORED_WITHIN_MS = 5000;

/** Resolves when every open connection has read what its server sent so far. */
export async function readAllAnswers(): Promise<void> {
  // Whether a command comes before or after the reconnect must not depend on chance.
  for (const [connection, broken] of BROKEN) {
    if (!broken.destroyed) continue;
    const signal = AbortSignal.timeout(RESTORED_WITHIN_MS);
    if (connection.status !== 'ready' || connection.stream === broken)
      await once(connection, 'ready', { signal }).catch(() => undefined);
    BROKEN.delete(connection);
  }
  const open = [...CONNECTIONS.keys()].filter(({ status }) => status === 'ready');
  for (const connection of CONNECTIONS.keys())
    if (connection.status === 'end') CONNECTIONS.delete(connection);
  await Promise.all(open.map((connection) => connection.ping().catch(() => undefined)));
}

interface Sent {
  readonly command: Command;
  readonly rest: Rest;
}

/** Holds a command before it is sent. The commands of a pipeline are sent together, so they are held together. */
function holder(send: Sender['sendCommand'], scripts: ReadonlyMap<string, string>) {
  const pipelines = new WeakMap<object, Sent[]>();
  return (connection: Redis, command: Command, rest: Rest): unknown => {
    const [stream] = rest;
    const begun = stream && pipelines.get(stream);
    if (begun) {
      begun.push({ command, rest });
      return command.promise;
    }
    const group: Sent[] = [{ command, rest }];
    if (stream) pipelines.set(stream, group);
    // One turn later the pipeline is complete.
    Promise.resolve()
      .then(() => {
        const text = group.map((sent) => describe(sent.command, scripts)).join('; ');
        const keys = [...new Set(group.flatMap((sent) => sent.command.getKeys().map(String)))];
        const { port = 0 } = connection.options;
        const over = () => {
          BROKEN.set(connection, connection.stream);
          return Promise.resolve(connection);
        };
        const details = { keys, port, connection: CONNECTIONS.get(connection) ?? 0, over };
        const sendAll = async () => {
          for (const sent of group) send.call(connection, sent.command, ...sent.rest);
          const answers: unknown[] = await Promise.all(group.map((sent) => sent.command.promise));
          return answers.at(-1);
        };
        return observed('redis', text, sendAll, details);
      })
      // The caller handles the errors of its own command.
      .catch(() => undefined);
    return command.promise;
  };
}

function describe(command: Command, scripts: ReadonlyMap<string, string>): string {
  const words = command.args.map((word) => String(word)).map((word) => scripts.get(word) ?? word);
  return [command.name.toUpperCase(), ...words.map((word) => word.slice(0, LONGEST_ARGUMENT))].join(' ');
}

/** The texts of all scripts: a server that knows them needs none of them sent again. */
export function scriptTexts(): readonly string[] {
  return scripts().map(({ text }) => text);
}

/** EVALSHA names a script by its hash and EVAL by its text; evidence names it by its file. */
function scriptNames(): Map<string, string> {
  return new Map(
    scripts().flatMap(({ name, text }) => [
      [createHash('sha1').update(text).digest('hex'), name],
      [text, name],
    ]),
  );
}

function scripts(): { readonly name: string; readonly text: string }[] {
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
  return [...joined, ...files];
}
