import { type Audit } from '../../contract/audit.js';
import { type TableRow } from '../../contract/evidence.js';
import { LabError } from '../errors.js';
import { until } from '../until.js';
import { Buyer } from './buyer.js';
import { type ProvenFault } from './evidence.js';
import { type Player } from './player.js';
import { type Purchase } from './purchase.js';
import { type Recorder } from './recorder.js';
import { GOODS, type Stage } from './stage.js';

export interface Rows {
  readonly goods: TableRow;
  readonly orders: readonly (TableRow & { readonly orderId: number })[];
}

/** One run of one experiment: its buyers, its stock, its record. */
export class Scene {
  private readonly buyers: Buyer[] = [];
  private readonly closing: (() => Promise<void>)[] = [];

  constructor(
    readonly stage: Stage,
    readonly recorder: Recorder,
    readonly strategy: string,
    private players: readonly Player[],
  ) {
    recorder.meet({ id: 'lab', kind: 'lab', label: 'the lab' });
  }

  /** Waits until all who take part have what the strategy needs. */
  async ready(): Promise<void> {
    await Promise.all(this.players.map((player) => this.stage.connected(player, this.strategy)));
  }

  /** Other instances take the stage, for the rest of this scene. */
  replaceInstances(players: readonly Player[]): void {
    this.players = players;
  }

  /** Something of this scene's own that must end, once all that it shows was looked at. */
  afterwards(close: () => Promise<void>): void {
    this.closing.unshift(close);
  }

  /** An instance by its number, from 1. */
  instance(number: number): Player {
    const player = this.players[number - 1];
    if (!player) throw new LabError(`There is no instance ${number} on the stage.`);
    return player;
  }

  /** Somebody who wants to buy at the instance of that number. Nothing is sent before he is told to run. */
  buyer(name: string, instance: number, purchase: Partial<Purchase> = {}): Buyer {
    const buyer = new Buyer(
      name,
      this.instance(instance),
      { strategy: this.strategy, goodsId: GOODS, ...purchase },
      this.recorder,
      () => this.stage.waitsInMysql(),
    );
    this.stage.director.direct(buyer.id, buyer);
    this.buyers.push(buyer);
    return buyer;
  }

  /** A new run; what was bought in the one before does not count any more. */
  async stock(inventory: number): Promise<void> {
    for (const buyer of this.buyers) await buyer.letGo();
    this.buyers.length = 0;
    this.recorder.beginAnew();
    await this.stage.reset(this.living, inventory, this.strategy);
  }

  note(text: string): void {
    this.recorder.step({ actor: 'lab', kind: 'note', text });
  }

  /** Something that the lab does to a server. */
  fault(to: string, text: string, event: string): void {
    this.recorder.step({ actor: 'lab', to, kind: 'fault', text });
    this.recorder.event(event);
  }

  /** That a fault has fired. Only who brings it about can say so: see `../faults`. */
  proveFault(fault: ProvenFault, what: string, seen: string, ok: boolean): void {
    this.recorder.prove({ of: 'fault', fault, what, seen, ok });
  }

  /** That something else went as the experiment says. */
  prove(what: string, seen: string, ok: boolean): void {
    this.recorder.prove({ of: 'course', what, seen, ok });
  }

  /** Waits until the instance reaches Redis: the audit says null for what it cannot ask for. */
  async connected(...instances: number[]): Promise<void> {
    for (const number of instances) {
      const player = this.instance(number);
      await until(`${player.name} reaches Redis`, async () => {
        const { inFlight } = await this.stage.audit(player);
        return inFlight !== null;
      });
    }
  }

  audit(): Promise<Audit> {
    return this.stage.audit(this.living);
  }

  /** The audit once nothing is on its way between Redis and the ledger. */
  settledAudit(withinMs = 20_000): Promise<Audit> {
    return until(
      'everything on its way has arrived',
      async () => {
        const audit = await this.audit();
        return audit.inFlight === 0 && audit;
      },
      withinMs,
    );
  }

  /** What a run has left in the database. */
  async rows(runId: number): Promise<Rows> {
    const [goods = {}] = await this.stage.rows(
      'SELECT id, inventory, version, lease_seq AS leaseSeq, fence FROM goods WHERE id = ?',
      [GOODS],
    );
    const orders = await this.stage.rows(
      `SELECT COALESCE(number, id) AS orderId, kind, quantity, instance, before_inventory AS beforeInventory,
              after_inventory AS afterInventory, fence, lease_seq AS leaseSeq, idempotency_key AS idempotencyKey
       FROM orders WHERE run_id = ? ORDER BY id`,
      [runId],
    );
    return { goods: goods as TableRow, orders: orders as Rows['orders'] };
  }

  /** The orders of which their buyers have a receipt, and the ledger of the present run knows nothing. */
  unwritten({ orders }: Rows): number[] {
    const written = new Set(orders.map(({ orderId }) => orderId));
    return this.buyers.flatMap(({ receipt }) =>
      receipt === undefined || written.has(receipt) ? [] : receipt,
    );
  }

  /** Whether nothing has gone wrong so far in the present run. */
  async isSafe(): Promise<boolean> {
    const { verdict, runId } = await this.settledAudit();
    return verdict === 'SAFE' && this.unwritten(await this.rows(runId)).length === 0;
  }

  /** Nobody is left standing when the scene is over. */
  async strike(): Promise<void> {
    for (const wire of [this.stage.redis.wire, this.stage.databaseWire]) {
      wire.set({ requests: 'pass', answers: 'pass' });
    }
    await this.stage.troupe.resumeAll();
    for (const buyer of this.buyers) await buyer.letGo();
    this.stage.director.dismissAll();
    // A script that failed half-way may have left nobody at the address of Redis.
    if (!this.stage.redis.node.running) await this.stage.redis.replace();
  }

  async close(): Promise<void> {
    for (const close of this.closing) await close();
  }

  private get living(): Player {
    const player = this.players.find(({ running, state }) => running && state !== 'T');
    if (!player) throw new LabError('No instance is left on the stage.');
    return player;
  }
}
