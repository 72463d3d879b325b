import { type Audit } from '../../contract/audit.js';
import { LabError } from '../errors.js';
import { timeText } from '../evidence/leases.js';
import { until } from '../until.js';
import { Buyer } from './buyer.js';
import { type ProvenFault, type TableRow } from '../../contract/evidence.js';
import { type Instance } from './instance.js';
import { Lanes } from './lanes.js';
import { type PurchaseRequest } from './purchase.js';
import { type Recorder } from './recorder.js';
import { SentCommands } from './sent-commands.js';
import { GOODS, type TestBed } from './test-bed.js';

export interface Rows {
  readonly goods: TableRow;
  readonly orders: readonly (TableRow & { readonly orderId: number })[];
}

/** One execution of one experiment: its instances, buyers, stock and record. */
export class ExperimentRun {
  private readonly buyers: Buyer[] = [];
  private readonly closing: (() => Promise<void>)[] = [];
  /** The version of the goods row when the ledger run began: it counts over all runs. */
  private firstVersion = 0;
  private readonly lanes: Lanes;
  private observed = 0;

  constructor(
    readonly testBed: TestBed,
    readonly recorder: Recorder,
    readonly strategy: string,
    private instances: readonly Instance[],
  ) {
    this.lanes = new Lanes(testBed.redlock.ports, testBed.replicaPort);
    recorder.addActor({ id: 'lab', kind: 'lab', label: 'the lab' });
  }

  /** Waits until every instance is connected to the servers that the strategy needs. */
  async ready(): Promise<void> {
    await Promise.all(this.instances.map((instance) => this.testBed.connected(instance, this.strategy)));
  }

  /** Uses these instances for the rest of this run. */
  replaceInstances(instances: readonly Instance[]): void {
    this.instances = instances;
  }

  /** Registers work for the end of the run, after the audit: last registered, first called. */
  onClose(close: () => Promise<void>): void {
    this.closing.unshift(close);
  }

  /** An instance by its number, from 1. */
  instance(number: number): Instance {
    const instance = this.instances[number - 1];
    if (!instance)
      throw new LabError(`This experiment has no instance ${number}. Set instances in its definition.`);
    return instance;
  }

  /** A buyer at the instance of that number. It sends nothing until `runUntil` or `finish` is called. */
  buyer(name: string, instance: number, purchase: Partial<PurchaseRequest> = {}): Buyer {
    const buyer = new Buyer(
      name,
      this.instance(instance),
      { strategy: this.strategy, goodsId: GOODS, ...purchase },
      this.recorder,
      this.lanes,
      () => this.testBed.waitsInMysql(),
    );
    this.testBed.checkpoints.observe(buyer.id, buyer);
    this.buyers.push(buyer);
    return buyer;
  }

  /** Records the commands of a request that is no purchase. Returns the name that the request must have in its header. */
  observe(name: string, instance: number): string {
    this.observed += 1;
    const [id, at] = [`${name} other-${this.observed}`, this.instance(instance)];
    const commands = new SentCommands({ name, id, at }, this.recorder, this.lanes);
    this.testBed.checkpoints.observe(id, {
      arrived: (_arrival, answer) => {
        answer({ do: 'go' });
      },
      queried: (command) => {
        if (command.text !== 'connect') commands.record(command);
      },
      returned: (answer) => {
        commands.returned(answer);
      },
      becameIdle: () => undefined,
    });
    return id;
  }

  /** Starts a new ledger run with this stock. Earlier purchases no longer count. */
  async stock(inventory: number): Promise<void> {
    for (const buyer of this.buyers) await buyer.release();
    this.buyers.length = 0;
    this.recorder.restartEvents(inventory);
    await this.testBed.reset(this.living, inventory, this.strategy);
    this.firstVersion = await this.version();
  }

  note(text: string): void {
    this.recorder.step({ actor: 'lab', kind: 'note', text });
  }

  /** Records that a lease of that length, if the buyer has one, has ended. */
  timePasses(buyer: string, leaseMs: number): void {
    const text = timeText({ buyer, strategy: this.strategy }, leaseMs, this.recorder.trace);
    this.recorder.step({ actor: 'lab', kind: 'time', text });
  }

  /** Records something that the lab does to a server or an instance. */
  fault(to: string, text: string, event: string): void {
    this.recorder.step({ actor: 'lab', to, kind: 'fault', text });
    this.recorder.event(event);
  }

  /** Records the check that a fault has fired. Called only by the fault itself: see `../faults`. */
  proveFault(fault: ProvenFault, what: string, seen: string, ok: boolean): void {
    this.recorder.prove({ of: 'fault', fault, what, seen, ok });
  }

  /** Records any other check of the experiment. */
  prove(what: string, seen: string, ok: boolean): void {
    this.recorder.prove({ of: 'course', what, seen, ok });
  }

  /** Waits until the instances are connected to Redis: `inFlight` of the audit is null while they are not. */
  async connected(...instances: number[]): Promise<void> {
    for (const number of instances) {
      const instance = this.instance(number);
      await until(`${instance.name} is connected to Redis`, async () => {
        const { inFlight } = await this.testBed.audit(instance);
        return inFlight !== null;
      });
    }
  }

  audit(): Promise<Audit> {
    return this.testBed.audit(this.living);
  }

  /** The audit, once no reservation in Redis waits to be written to the ledger. */
  settledAudit(withinMs?: number): Promise<Audit> {
    return this.testBed.settledAudit(this.living, withinMs);
  }

  /** The goods row and the ledger rows of a run. */
  async rows(runId: number): Promise<Rows> {
    const [goods] = await this.testBed.rows(
      'SELECT inventory, version - ? AS version, lease_seq AS leaseSeq, fence FROM goods WHERE id = ?',
      [this.firstVersion, GOODS],
    );
    const orders = await this.testBed.rows(
      `SELECT COALESCE(number, id) AS orderId, kind, quantity, instance, before_inventory AS beforeInventory,
              after_inventory AS afterInventory, fence, lease_seq AS leaseSeq, idempotency_key AS idempotencyKey
       FROM orders WHERE run_id = ? ORDER BY id`,
      [runId],
    );
    return { goods: { ...goods }, orders: orders as Rows['orders'] };
  }

  /** Orders that were acknowledged to a buyer and are missing from the ledger of the current run. */
  unwritten({ orders }: Rows): number[] {
    const written = new Set(orders.map(({ orderId }) => orderId));
    return this.buyers.flatMap(({ receipt }) =>
      receipt === undefined || written.has(receipt) ? [] : receipt,
    );
  }

  /** Whether the current run is SAFE so far and every acknowledged order is in the ledger. */
  async isSafe(): Promise<boolean> {
    const { verdict, runId } = await this.settledAudit();
    return verdict === 'SAFE' && this.unwritten(await this.rows(runId)).length === 0;
  }

  /** Resumes and finishes everything that the experiment has stopped or held. */
  async cleanUp(): Promise<void> {
    for (const wire of [this.testBed.redis.wire, this.testBed.databaseWire]) {
      wire.set({ requests: 'pass', answers: 'pass' });
    }
    await this.testBed.instances.resumeAll();
    for (const buyer of this.buyers) await buyer.release();
    this.testBed.checkpoints.forgetBuyers();
    // An experiment that failed half-way may have left no server behind the Redis address.
    if (!this.testBed.redis.node.running) await this.testBed.redis.replace();
  }

  async close(): Promise<void> {
    for (const close of this.closing) await close();
  }

  private async version(): Promise<number> {
    const [goods] = (await this.testBed.rows('SELECT version FROM goods WHERE id = ?', [GOODS])) as {
      version: number;
    }[];
    return Number(goods?.version);
  }

  private get living(): Instance {
    const instance = this.instances.find(({ running, state }) => running && state !== 'T');
    if (!instance) throw new LabError('Every instance of this experiment is dead or stopped.');
    return instance;
  }
}
