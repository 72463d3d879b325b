import { type Flows, type TcpProxy } from '../../../src/lab/tcp-proxy.js';
import { now, sleepUntil } from '../clock.js';
import { type Fault } from '../plan/plan.js';

const SLOW_MS = 4;

const FLOWS: Partial<Record<Fault['type'], Flows>> = {
  drop: { requests: 'drop', answers: 'drop' },
  'drop answers': { answers: 'drop' },
  hold: { requests: 'hold', answers: 'hold' },
  'hold answers': { answers: 'hold' },
  slow: { requests: { delayMs: SLOW_MS }, answers: { delayMs: SLOW_MS } },
};

const PASS: Flows = { requests: 'pass', answers: 'pass' };

/** What a fault can be done to. */
export interface Victim {
  readonly proxies: readonly TcpProxy[];
  kill(): void;
  /** Stops the process until the answer is called. */
  pause(): () => void;
}

/**
 * Does the faults of one client, and resolves when they are over. Those of its connections come one after the other:
 * the end of one must not let a stream go on from which another has dropped bytes.
 */
export async function inflictAll(
  faults: readonly Fault[],
  victim: Victim,
  startAt: number,
  say: Say,
): Promise<void> {
  const inOrder = faults.toSorted((a, b) => a.startMs - b.startMs);
  const ofProcess = inOrder.filter(({ type }) => type === 'kill' || type === 'pause');
  const onWire = async () => {
    for (const fault of inOrder) if (!ofProcess.includes(fault)) await inflict(fault, victim, startAt, say);
  };
  await Promise.all([onWire(), ...ofProcess.map((fault) => inflict(fault, victim, startAt, say))]);
}

async function inflict(fault: Fault, victim: Victim, startAt: number, say: Say): Promise<void> {
  await sleepUntil(startAt + fault.startMs);
  say('fault', fault);
  const proxies = victim.proxies.slice(0, fault.servers);
  const until = now() + fault.forMs;
  if (fault.type === 'kill') victim.kill();
  else if (fault.type === 'pause') {
    const goOn = victim.pause();
    await sleepUntil(until);
    goOn();
  } else if (fault.type === 'reset') for (const proxy of proxies) proxy.reset();
  else {
    for (const proxy of proxies) change(proxy, FLOWS[fault.type] ?? PASS);
    await sleepUntil(until);
    for (const proxy of proxies) change(proxy, PASS);
  }
  say('fault ended', fault);
}

export type Say = (type: 'fault' | 'fault ended', fault: Fault) => void;

/** Proxies whose connections have lost bytes. */
const torn = new WeakSet<TcpProxy>();

/**
 * Faults may overlap. TCP never loses bytes in the middle of a connection: one that has lost some must break before any
 * more bytes pass, or its client would take the answer to one command for the answer to another.
 */
function change(proxy: TcpProxy, flows: Flows): void {
  if (torn.delete(proxy)) proxy.reset();
  proxy.set(flows);
  if (flows.requests === 'drop' || flows.answers === 'drop') torn.add(proxy);
}
