import { type LooseClock } from '../../faults/clock-jump.js';
import { type Address, replicaOf } from '../../faults/failover.js';
import { LabError } from '../../errors.js';
import { killServer } from '../../faults/kill.js';
import { pause } from '../../faults/pause.js';
import { type Node } from '../../topologies/node.js';
import { until } from '../../until.js';
import { type CheckpointName } from '../../../checkpoints/checkpoint.js';
import { type Conclusion } from '../experiment.js';
import { type PurchaseResult } from '../../test-bed/purchase.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';
import { masterLane } from '../../test-bed/lanes.js';
import { afterDataLoss, heardInTime, ONCE_MORE, proveDecided, THE_MOMENT } from './scenario.js';

interface MasterDataLoss {
  /** For a clock fault: the clock of the third master. */
  readonly clock?: LooseClock;
  readonly prepare: (third: Node) => Promise<unknown>;
  readonly loseData: (third: Node) => Promise<void>;
  /** What has happened to the third master, as a step of the story. */
  readonly told: string;
}

/**
 * Two of five masters are down, so A has the votes of the other three. One of these loses its data; the two restart; B
 * gets the votes of the three masters without A's lock. Both have a majority.
 */
export async function whileMasterLosesData(run: ExperimentRun, loss: MasterDataLoss): Promise<Conclusion> {
  let [first, second] = await play(run, ['A', 'B'], THE_MOMENT, loss);
  if (heardInTime(first) && (await run.isSafe())) {
    run.note(ONCE_MORE);
    await run.stock(1);
    [first, second] = await play(run, ['C', 'D'], ['beforeCommit'], loss);
  }
  proveDecided(run, [first, second]);
  return first.kind === 'sold' && second.kind === 'sold'
    ? { why: 'A had the votes of masters 1, 2 and 3, and B those of 3, 4 and 5: two majorities.' }
    : { why: 'B could not get a majority while A had one.' };
}

async function play(
  run: ExperimentRun,
  names: readonly [string, string],
  place: readonly CheckpointName[],
  { clock, prepare, loseData, told }: MasterDataLoss,
): Promise<[PurchaseResult, PurchaseResult]> {
  clock?.rewind();
  const masters = await run.testBed.redlock.fresh(clock?.env);
  const [, , third, fourth, fifth] = masters;
  if (!third || !fourth || !fifth) throw new LabError('This experiment needs five Redlock masters.');
  await prepare(third);
  await heard(run, masters);
  await killMaster(run, 4, fourth);
  await killMaster(run, 5, fifth);
  const a = run.buyer(names[0], 1);
  await a.runUntil(place);
  await pause(run, a);
  const votes = await Promise.all(masters.slice(0, 3).map((node) => node.ask((client) => client.dbsize())));
  run.prove(
    `${a.name} has the votes of three`,
    `keys ${votes.join(', ')}`,
    votes.every((keys) => keys > 0),
  );
  await loseData(third);
  await Promise.all([fourth.start(), fifth.start()]);
  await heard(run, [third, fourth, fifth]);
  run.fault(masterLane(3).id, told, 'Redis forgot');
  for (const number of [4, 5]) faultAt(run, number, `master ${number} restarts`);
  return afterDataLoss(run, a, names[1]);
}

/** Kills a master, as a step of the story. */
export async function killMaster(run: ExperimentRun, number: number, master: Node): Promise<void> {
  await killServer(run, master);
  faultAt(run, number, `master ${number} is killed`);
}

function faultAt({ recorder }: ExperimentRun, number: number, text: string): void {
  const lane = masterLane(number);
  recorder.addActor(lane);
  recorder.step({ actor: 'lab', to: lane.id, kind: 'fault', text });
}

/** Waits until the running instances, among them that of B, are connected to all masters. */
async function heard(run: ExperimentRun, masters: readonly Node[]): Promise<void> {
  for (const number of [1, 2, 3, 4, 5]) run.recorder.addActor(masterLane(number));
  for (const node of masters) {
    await until(`the instances are connected to ${node.name}`, async () => {
      const clients = (await node.ask((client) => client.client('LIST'))) as string;
      const connected = clients.split('\n').filter((line) => line.includes('user=lockstock')).length;
      return connected >= (await run.testBed.instances.awake());
    });
  }
}

interface TakeOver {
  readonly prepare: (third: Node, replica: Node) => Promise<void>;
  readonly takeOver: (third: Address, replica: Node) => Promise<void>;
  readonly told: string;
}

/** The third master has a replica, which replaces it. */
export function whileReplicaTakesOver(
  run: ExperimentRun,
  { prepare, takeOver, told }: TakeOver,
): Promise<Conclusion> {
  const { redlock } = run.testBed;
  let replica: Node | undefined;
  return whileMasterLosesData(run, {
    told,
    prepare: async (third) => {
      replica = await replicaOf(run, third);
      await prepare(third, replica);
    },
    loseData: async (third) => {
      const use = (successor: Node) => redlock.takeOver(third, successor);
      if (!replica) throw new LabError('The third master has no replica.');
      await takeOver({ node: third, lane: masterLane(3).id, use }, replica);
    },
  });
}
