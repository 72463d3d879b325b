import { SourceFollower } from '../dev/source-follower.js';
import { choosePort } from '../ports.js';
import { readUpOptions, runUntilStopped } from './up.js';

/** Node's default; debuggers look there first. */
const FIRST_DEBUGGER_PORT = 9229;

/** `lockstock dev`: as `up`, and it builds and applies every change of the sources. */
export async function dev(args: string[]): Promise<number> {
  const options = readUpOptions('dev', args);
  const inspectPorts = await debuggerPorts(options.instances);
  return runUntilStopped({ ...options, inspectPorts }, (shop, reaper) => new SourceFollower(shop, reaper));
}

async function debuggerPorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let next = FIRST_DEBUGGER_PORT; ports.length < count; next = (ports.at(-1) ?? next) + 1)
    ports.push(await choosePort(next, true));
  return ports;
}
