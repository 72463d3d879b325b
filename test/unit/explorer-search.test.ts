import { type Choice, type Model } from '../../src/lab/explorer/model.js';
import { PartialOrder, switchesOf } from '../../src/lab/explorer/partial-order.js';
import { type Run, Search, type SearchOptions } from '../../src/lab/explorer/search.js';

/**
 * A program: for each actor its steps. A step whose condition does not hold waits in the server and is completed by the
 * step that makes it hold, or polls: then it fails, and is a choice again when the condition holds.
 */
interface Step {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly when?: (memory: Memory) => boolean;
  readonly polls?: boolean;
  readonly run: (memory: Memory) => void;
}
type Memory = Record<string, number>;
/** What can happen to an actor once, instead of its next step. */
interface Fault extends Pick<Step, 'writes' | 'when' | 'run'> {
  /** The actor takes no further step. */
  readonly kills?: boolean;
}
type Program = Readonly<Record<string, readonly Step[]>>;

class Tiny implements Model<string> {
  private memory: Memory = {};
  private readonly next = new Map<string, number>();
  private readonly waiting = new Set<string>();
  private readonly failed = new Set<string>();
  /** By actor, the steps that it has taken, and those that completed a step of it. */
  private readonly causes = new Map<string, number[]>();
  private taken = 0;
  private failedOnce = false;

  constructor(
    private readonly program: Program,
    private readonly start: Memory,
    private readonly faults: Readonly<Record<string, Fault>> = {},
  ) {}

  restart() {
    this.memory = { ...this.start };
    for (const state of [this.next, this.waiting, this.failed, this.causes]) state.clear();
    this.taken = 0;
    this.failedOnce = false;
    return Promise.resolve();
  }

  choices(): Choice[] {
    const steps = this.stepsNow();
    if (this.failedOnce || steps.length === 0) return steps;
    const possible = Object.entries(this.faults).filter(
      ([actor, { when }]) => this.stepOf(actor) && when?.(this.memory) !== false,
    );
    const faults = possible.map(([of, { writes = [] }]) => {
      const touches = { reads: [], writes: [...writes, `process ${of}`] };
      return { id: `fault ${of}`, actor: 'time', touches, causes: [], fault: true, of };
    });
    return [...steps, ...faults];
  }

  private stepsNow(): Choice[] {
    return Object.keys(this.program).flatMap((actor) => {
      const step = this.stepOf(actor);
      if (!step || this.waiting.has(actor)) return [];
      if (this.failed.has(actor) && step.when?.(this.memory) === false) return [];
      const own = actor in this.faults ? [`process ${actor}`] : [];
      const touches = { reads: [...(step.reads ?? []), ...own], writes: step.writes ?? [] };
      return [{ id: actor, actor, touches, causes: this.causes.get(actor) ?? [] }];
    });
  }

  take({ actor, of }: Choice) {
    if (of !== undefined) return this.fail(of);
    this.caused(actor);
    const step = this.stepOf(actor);
    if (step?.when?.(this.memory) === false) (step.polls ? this.failed : this.waiting).add(actor);
    else this.complete(actor);
    this.completeWaiting();
    return Promise.resolve();
  }

  private fail(actor: string) {
    const { run, kills = false } = this.faults[actor] as Fault;
    this.failedOnce = true;
    run(this.memory);
    if (kills) this.next.set(actor, Infinity);
    this.completeWaiting();
    return Promise.resolve();
  }

  private completeWaiting() {
    for (const other of this.waiting) {
      if (this.stepOf(other)?.when?.(this.memory) !== true) continue;
      this.waiting.delete(other);
      this.caused(other);
      this.complete(other);
    }
    this.taken += 1;
  }

  outcome() {
    const stuck = Object.keys(this.program).some((actor) => this.stepOf(actor));
    return Promise.resolve(JSON.stringify([Object.entries(this.memory).sort(), stuck]));
  }

  private complete(actor: string) {
    this.stepOf(actor)?.run(this.memory);
    this.failed.delete(actor);
    this.next.set(actor, (this.next.get(actor) ?? 0) + 1);
  }

  private caused(actor: string) {
    this.causes.set(actor, [...(this.causes.get(actor) ?? []), this.taken]);
  }

  private stepOf(actor: string) {
    return this.program[actor]?.[this.next.get(actor) ?? 0];
  }
}

async function explored(
  program: Program,
  start: Memory,
  options: SearchOptions,
  faults: Readonly<Record<string, Fault>> = {},
) {
  const runs: Run<string>[] = [];
  const search = new Search(new Tiny(program, start, faults), options, (run) => void runs.push(run));
  const coverage = await search.explore();
  return { ...coverage, all: runs, outcomes: [...new Set(runs.map(({ outcome }) => outcome))].sort() };
}

const local: Step = { run: () => undefined };
const read = (name: string, into: string): Step => ({
  reads: [name],
  run: (memory) => (memory[into] = memory[name] ?? 0),
});
const write = (name: string, from: string): Step => ({
  writes: [name],
  run: (memory) => (memory[name] = (memory[from] ?? 0) - 1),
});
const lock = (name: string): Step => ({
  writes: [name],
  when: (memory) => memory[name] === 0,
  run: (memory) => (memory[name] = 1),
});
const poll = (name: string): Step => ({ ...lock(name), polls: true });
const unlock = (name: string): Step => ({ writes: [name], run: (memory) => (memory[name] = 0) });

const lockAs = (name: string, owner: number): Step => ({
  ...lock(name),
  run: (memory) => (memory[name] = owner),
});
const unlockAs = (name: string, owner: number): Step => ({
  writes: [name],
  run: (memory) => (memory[name] = memory[name] === owner ? 0 : (memory[name] ?? 0)),
});

const sale = (actor: string): Step[] => [local, read('stock', actor), local, write('stock', actor)];
const PROGRAMS: Readonly<Record<string, readonly [Program, Memory]>> = {
  'two unprotected sales': [{ A: sale('a'), B: sale('b') }, { stock: 5 }],
  'three unprotected sales': [
    { A: sale('a').slice(1), B: sale('b').slice(1), C: sale('c').slice(1) },
    { stock: 5 },
  ],
  'two sales under a lock': [
    { A: [lock('l'), ...sale('a'), unlock('l')], B: [lock('l'), ...sale('b'), unlock('l')] },
    { stock: 5, l: 0 },
  ],
  'two sales under a lock that waiters poll': [
    { A: [poll('l'), ...sale('a'), unlock('l')], B: [poll('l'), ...sale('b'), unlock('l')] },
    { stock: 5, l: 0 },
  ],
  'a lock that is released too early': [
    {
      A: [lock('l'), read('stock', 'a'), unlock('l'), write('stock', 'a')],
      B: [lock('l'), ...sale('b'), unlock('l')],
    },
    { stock: 5, l: 0 },
  ],
  'a polled lock that is released too early': [
    {
      A: [poll('l'), read('stock', 'a'), unlock('l'), write('stock', 'a')],
      B: [poll('l'), ...sale('b'), unlock('l')],
    },
    { stock: 5, l: 0 },
  ],
  'three who take two locks': [
    {
      A: [lock('l'), unlock('l')],
      B: [lock('l'), lock('m'), unlock('l'), unlock('m')],
      C: [lock('m'), write('stock', 'c'), unlock('m')],
    },
    { l: 0, m: 0, stock: 5 },
  ],
  'two sales under a lock that only its owner releases': [
    {
      A: [lockAs('l', 1), ...sale('a'), unlockAs('l', 1)],
      B: [lockAs('l', 2), ...sale('b'), unlockAs('l', 2)],
    },
    { stock: 5, l: 0 },
  ],
  'a deadlock': [
    {
      A: [lock('l'), lock('m'), unlock('m'), unlock('l')],
      B: [lock('m'), lock('l'), unlock('l'), unlock('m')],
    },
    { l: 0, m: 0 },
  ],
  'different rows': [
    { A: [read('x', 'a'), write('x', 'a')], B: [read('y', 'b'), write('y', 'b')], C: [local, local] },
    { x: 1, y: 1 },
  ],
  'only readers': [{ A: [read('x', 'a'), read('x', 'a2')], B: [read('x', 'b'), read('x', 'b2')] }, { x: 1 }],
};

const full = { reduced: false };
const reduced = { reduced: true };

describe('the search', () => {
  test.each(Object.entries(PROGRAMS))(
    'finds the same outcomes with and without reduction: %s',
    async (_name, made) => {
      const [all, few] = [await explored(...made, full), await explored(...made, reduced)];
      expect(few.outcomes).toEqual(all.outcomes);
      expect(few.complete).toBe(true);
      // Each run represents the schedules that only swap commuting steps. Together they are all schedules, each once.
      const represented = few.all.map(({ steps }) => new PartialOrder(steps).linearizations() ?? 0n);
      expect(Number(represented.reduce((sum, count) => sum + count, 0n))).toBe(all.runs);
    },
  );

  test.each([
    [
      'two sales under a lock that waiters poll',
      { A: { when: ({ l }) => l === 1, writes: ['l'], run: unlock('l').run } },
    ],
    [
      'two sales under a lock that only its owner releases',
      {
        A: { writes: ['l'], when: ({ l }) => l === 1, run: unlock('l').run },
        B: { writes: ['l'], when: ({ l }) => l === 2, run: unlock('l').run },
      },
    ],
    [
      'two unprotected sales',
      {
        A: { run: () => undefined, kills: true },
        B: { run: () => undefined, kills: true },
      },
    ],
    [
      'three who take two locks',
      { B: { writes: ['l', 'm'], run: (memory) => Object.assign(memory, { l: 0, m: 0 }), kills: true } },
    ],
  ] satisfies [string, Record<string, Fault>][])(
    'finds the same outcomes with and without reduction, with one fault at any point: %s',
    async (name, faults) => {
      const [program, start] = PROGRAMS[name] as readonly [Program, Memory];
      const all = await explored(program, start, full, faults);
      const few = await explored(program, start, reduced, faults);
      expect(few.outcomes).toEqual(all.outcomes);
      // A run without the fault, and runs with it.
      expect(few.all.some(({ steps }) => steps.some(({ fault }) => fault))).toBe(true);
      expect(few.all.some(({ steps }) => !steps.some(({ fault }) => fault))).toBe(true);
      expect(few.runs).toBeLessThan(all.runs);
      const represented = few.all.map(({ steps }) => new PartialOrder(steps).linearizations() ?? 0n);
      expect(Number(represented.reduce((sum, count) => sum + count, 0n))).toBe(all.runs);
    },
  );

  test.each([
    ['two unprotected sales', 70],
    ['two sales under a lock', 12],
    ['only readers', 6],
  ])('counts all schedules of %s: %d', async (name, count) => {
    const [program, start] = PROGRAMS[name] as readonly [Program, Memory];
    expect((await explored(program, start, full)).runs).toBe(count);
  });

  test('runs one schedule where all steps commute, and none twice', async () => {
    const [program, start] = PROGRAMS['different rows'] as readonly [Program, Memory];
    expect(await explored(program, start, reduced)).toMatchObject({ runs: 1, cut: 0 });
    const [sales, stock] = PROGRAMS['two unprotected sales'] as readonly [Program, Memory];
    const { all } = await explored(sales, stock, reduced);
    const orders = all.map(({ steps }) => steps.map(({ id }) => id).join(' '));
    expect(new Set(orders).size).toBe(orders.length);
  });

  /** The check itself must be able to fail: a relation that leaves out a dependency loses outcomes. */
  test('misses outcomes when a step hides what it touches', async () => {
    const blind = (steps: readonly Step[]) => steps.map((step) => ({ ...step, reads: [] }));
    const hidden: Program = { A: blind(sale('a')), B: blind(sale('b')) };
    const [all, few] = [
      await explored(hidden, { stock: 5 }, full),
      await explored(hidden, { stock: 5 }, reduced),
    ];
    expect(few.outcomes.length).toBeLessThan(all.outcomes.length);
  });

  test('a bound on preemptions finds a lost update with one preemption, and none without', async () => {
    const [program, start] = PROGRAMS['two unprotected sales'] as readonly [Program, Memory];
    const stocks = async (preemptions: number) =>
      (await explored(program, start, { reduced: false, preemptions })).outcomes.map(
        (outcome) => /"stock",(\d)/.exec(outcome)?.[1],
      );
    expect(new Set(await stocks(0))).toEqual(new Set(['3']));
    expect(new Set(await stocks(1))).toEqual(new Set(['3', '4']));
  });

  test('stops after the given number of runs', async () => {
    const [program, start] = PROGRAMS['two unprotected sales'] as readonly [Program, Memory];
    expect(await explored(program, start, { reduced: false, most: 3 })).toMatchObject({
      runs: 3,
      complete: false,
    });
  });
});

test('the simplest schedule of a lost update has two context switches', async () => {
  const [program, start] = PROGRAMS['two unprotected sales'] as readonly [Program, Memory];
  const { all } = await explored(program, start, reduced);
  const lost = all.filter(({ outcome }) => outcome.includes('["stock",4]'));
  const switches = lost.map(({ steps }) => {
    const best = new PartialOrder(steps).fewestSwitches() ?? [];
    return switchesOf(best.map((index) => steps[index] as Choice));
  });
  expect(Math.min(...switches)).toBe(2);
});
