import { randomUUID } from 'node:crypto';
import { type ClientJob, type ClientRun, LocalClientRun, type NamedCaller } from '../client/client-run.js';
import { ClientLog } from '../client/log.js';
import { now, settledBy } from '../clock.js';
import { type Event, FUZZER, type History } from '../history.js';
import { longestCallMs } from '../judge/bounds.js';
import { settling } from '../judge/settling.js';
import { type Violation } from '../judge/violation.js';
import { kindNamed } from '../kinds/index.js';
import { type FuzzKind } from '../kinds/kind.js';
import { isWorker, type Plan } from '../plan/plan.js';
import { inflictAll, type Victim } from './faults.js';
import { type Inspector } from './inspector.js';
import { type Lane } from './lane.js';
import { probe } from './probe.js';
import { Proxied, type ServerPlaces } from './proxied.js';
import { lookForLeftovers } from './leftovers.js';
import { WorkerProcess } from './worker-process.js';

export interface PlanRunner {
  readonly servers: ServerPlaces;
  readonly inspector: Inspector;
}

interface OpenClient {
  readonly index: number;
  readonly proxied: Proxied;
  readonly run: ClientRun;
  readonly victim: Victim;
}

/** All clients connect before the first caller starts. */
const START_IN_MS = 15;

const HANG_CHECK_MS = 300;

/** Runs a plan on the real servers and resolves with what all clients observed. */
export async function runPlan(plan: Plan, { servers, inspector }: PlanRunner, lane: Lane): Promise<History> {
  const kind = kindNamed(plan.kind);
  const prefix = `lockstock:fuzz:${randomUUID().slice(0, 13)}:`;
  const events: Event[] = [];
  const write = (event: Event) => events.push(event);
  const log = new ClientLog(FUZZER, write);
  await inspector.breakKey(kind, prefix);
  const clients = await openClients(plan, kind, servers, prefix, lane, write);
  const startedAt = now() + START_IN_MS;

  const callers = callersByClient(plan);
  const performing = clients.map(({ index, run }) => run.perform(callers.get(index) ?? [], startedAt));
  const inflicted = clients.map(({ index, victim }) =>
    inflictAll(
      plan.faults.filter(({ client }) => client === index),
      victim,
      startedAt,
      (type, fault) => {
        log.run({ type, fault });
      },
    ),
  );
  const giveUpAt = startedAt + Math.max(0, ...plan.callers.map((caller) => longestCallMs(plan, caller)));
  const settled = await withoutHang(Promise.all(performing), giveUpAt, () =>
    settling({ plan, promises: kind, events, startedAt, endedAt: now() }),
  );
  await Promise.all(inflicted);
  // A caller that hangs makes the rest meaningless.
  if (settled) await probe(kind, plan, { ...servers, prefix }, log, inspector);
  const endedAt = now();
  if (settled) {
    await Promise.all(clients.map(({ run }) => run.close()));
    await inspector.removeBrokenKey(kind, prefix);
    await lookForLeftovers({
      kind,
      plan,
      prefix,
      inspector,
      workers: clients.map(({ run }) => run).filter((run) => run instanceof WorkerProcess),
      log,
      proxied: clients.map((c) => c.proxied),
    });
  } else {
    lane.replaceWorkers();
    for (const { run, index } of clients) if (!isWorker(index)) void run.close().catch(() => undefined);
  }
  await Promise.all(clients.map(({ proxied }) => proxied.close()));
  events.sort((a, b) => a.at - b.at);
  return { plan, promises: kind, events, startedAt, endedAt };
}

/** False when a call has not settled in time: then waiting for the other calls is useless. */
async function withoutHang(
  performing: Promise<unknown>,
  giveUpAt: number,
  late: () => readonly Violation[],
): Promise<boolean> {
  const done = performing.then(() => true);
  while (now() < giveUpAt) {
    if (await settledBy(now() + HANG_CHECK_MS, done)) return true;
    if (late().length > 0) return false;
  }
  return false;
}

/** Only those that do something. */
function callersByClient({ callers }: Plan): Map<number, NamedCaller[]> {
  const byClient = new Map<number, NamedCaller[]>();
  for (const [index, caller] of callers.entries())
    byClient.set(caller.client, [...(byClient.get(caller.client) ?? []), { id: `caller${index}`, caller }]);
  return byClient;
}

function openClients(
  plan: Plan,
  kind: FuzzKind,
  servers: ServerPlaces,
  prefix: string,
  lane: Lane,
  write: (event: Event) => void,
): Promise<OpenClient[]> {
  const open = async (index: number): Promise<OpenClient> => {
    const proxied = await Proxied.open(kind.engine, servers, prefix);
    const { proxies, places } = proxied;
    const job: ClientJob = { client: index, kind: kind.name, places, settings: plan.settings };
    if (!isWorker(index)) {
      const run = await LocalClientRun.open(kind, job, write);
      const victim = { proxies, kill: () => undefined, pause: () => () => undefined };
      return { index, proxied, run, victim };
    }
    const run = lane.worker(index);
    await run.open(job, write);
    const victim = {
      proxies,
      kill: () => {
        run.kill();
      },
      pause: () => run.pause(),
    };
    return { index, proxied, run, victim };
  };
  return Promise.all([...callersByClient(plan).keys()].map(open));
}
