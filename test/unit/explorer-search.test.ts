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
type Program = Readonly<Record<string, readonly Step[]>>;

class Tiny implements Model<string> {
  private memory: Memory = {};
  private readonly next = new Map<string, number>();
  private readonly waiting = new Set<string>();
  private readonly failed = new Set<string>();
  /** By actor, the steps that it has taken, and those that completed a step of it. */
  private readonly causes = new Map<string, number[]>();
  private taken = 0;

  constructor(
    private readonly program: Program,
    private readonly start: Memory,
  ) {}

  restart() {
    this.memory = { ...this.start };
    for (const state of [this.next, this.waiting, this.failed, this.causes]) state.clear();
    this.taken = 0;
    return Promise.resolve();
  }

  choices(): Choice[] {
    return Object.keys(this.program).flatMap((actor) => {
      const step = this.stepOf(actor);
      if (!step || this.waiting.has(actor)) return [];
      if (this.failed.has(actor) && step.when?.(this.memory) === false) return [];
      const touches = { reads: step.reads ?? [], writes: step.writes ?? [] };
      return [{ id: actor, actor, touches, causes: this.causes.get(actor) ?? [] }];
    });
  }

  take({ actor }: Choice) {
    this.caused(actor);
    const step = this.stepOf(actor);
    if (step?.when?.(this.memory) === false) (step.polls ? this.failed : this.waiting).add(actor);
    else this.complete(actor);
    for (const other of this.waiting) {
      if (this.stepOf(other)?.when?.(this.memory) !== true) continue;
      this.waiting.delete(other);
      this.caused(other);
      this.complete(other);
    }
    this.taken += 1;
    return Promise.resolve();
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

async function explored(program: Program, start: Memory, options: SearchOptions) {
  const runs: Run<string>[] = [];
  const search = new Search(new Tiny(program, start), options, (run) => void runs.push(run));
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
      // Each run stands for those that only swap steps that commute, and together they are all schedules, each once.
      const represented = few.all.map(({ steps }) => new PartialOrder(steps).linearizations() ?? 0n);
      expect(represented.reduce((sum, count) => sum + count, 0n)).toBe(BigInt(all.runs));
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
