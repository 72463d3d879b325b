import { type Plan, sizeOf, type PlanStep } from './plan.js';

/** Tries the plan, several times if needed. True when it broke the same promise again. */
export type StillFails = (plan: Plan) => Promise<boolean>;

/** Steps are removed one by one only when at most this many remain. */
const FEW_STEPS = 40;

/**
 * The smallest plan that still fails. Parts are removed, large ones first, as long as the plan breaks the promise without
 * them, until no part can be removed or the time is over.
 */
export async function shrink(plan: Plan, stillFails: StillFails, over: () => boolean): Promise<Plan> {
  let smallest = plan;
  for (let before = Infinity; sizeOf(smallest) < before;) {
    before = sizeOf(smallest);
    for (const pass of PASSES) smallest = await exhaust(pass, smallest, stillFails, over);
  }
  return smallest;
}

type Pass = (plan: Plan) => Iterable<Plan>;

async function exhaust(pass: Pass, plan: Plan, stillFails: StillFails, over: () => boolean): Promise<Plan> {
  for (const candidate of pass(plan)) {
    if (over()) return plan;
    if (sizeOf(candidate) < sizeOf(plan) && (await stillFails(candidate)))
      return exhaust(pass, candidate, stillFails, over);
  }
  return plan;
}

const PASSES: readonly Pass[] = [
  withoutFaults,
  fewerGoods,
  fewerKinds,
  fewerClients,
  fewerStrategies,
  fewerSteps,
  smallerSteps,
];

function* withoutFaults(plan: Plan): Generator<Plan> {
  const { faults } = plan;
  if (faults.length > 0) yield { ...plan, faults: [], lastsMs: 0 };
  if (faults.length > 1)
    for (const index of faults.keys()) yield { ...plan, faults: faults.toSpliced(index, 1) };
}

function* fewerGoods(plan: Plan): Generator<Plan> {
  if (plan.goods.length < 2) return;
  const keepOnly = (kept: readonly number[]) => ({
    ...keeping(plan, (step) => goodsOf(step).every((id) => kept.includes(id))),
    goods: plan.goods.filter(({ id }) => kept.includes(id)),
  });
  const all = plan.goods.map(({ id }) => id);
  for (const id of all) yield keepOnly([id]);
  for (const id of all) yield keepOnly(all.filter((other) => other !== id));
}

function* fewerKinds(plan: Plan): Generator<Plan> {
  const kinds = new Set(plan.clients.flat().map((step) => step.do));
  for (const kind of kinds) yield keeping(plan, (step) => step.do !== kind);
}

function* fewerStrategies(plan: Plan): Generator<Plan> {
  const names = new Set(plan.clients.flat().flatMap((step) => ('strategy' in step ? [step.strategy] : [])));
  if (names.size < 2) return;
  for (const name of names) yield keeping(plan, (step) => !('strategy' in step) || step.strategy !== name);
}

function* fewerClients(plan: Plan): Generator<Plan> {
  const { clients } = plan;
  if (clients.length < 2) return;
  const half = Math.ceil(clients.length / 2);
  yield { ...plan, clients: clients.slice(0, half) };
  yield { ...plan, clients: clients.slice(half) };
  for (const index of clients.keys()) yield { ...plan, clients: clients.toSpliced(index, 1) };
}

function* fewerSteps(plan: Plan): Generator<Plan> {
  const { clients } = plan;
  const halves = (steps: readonly PlanStep[]) => Math.ceil(steps.length / 2);
  yield { ...plan, clients: clients.map((steps) => steps.slice(0, halves(steps))) };
  yield { ...plan, clients: clients.map((steps) => steps.slice(halves(steps))) };
  if (sizeOf(plan) > FEW_STEPS) return;
  for (const [index, steps] of clients.entries())
    for (const at of steps.keys()) yield { ...plan, clients: clients.with(index, steps.toSpliced(at, 1)) };
}

/** Fewer requests at once. */
function* smallerSteps(plan: Plan): Generator<Plan> {
  const { clients } = plan;
  for (const [index, steps] of clients.entries())
    for (const [at, step] of steps.entries()) {
      const simpler = simplerThan(step);
      if (simpler) yield { ...plan, clients: clients.with(index, steps.with(at, simpler)) };
    }
}

function simplerThan(step: PlanStep): PlanStep | undefined {
  if (step.do === 'burst' && step.buyers > 1) return { ...step, buyers: Math.ceil(step.buyers / 2) };
  return 'times' in step && step.times > 1 ? { ...step, times: 1 } : undefined;
}

function keeping(plan: Plan, keep: (step: PlanStep) => boolean): Plan {
  return { ...plan, clients: plan.clients.map((steps) => steps.filter(keep)) };
}

function goodsOf(step: PlanStep): readonly number[] {
  if (step.do === 'basket') return step.items.map(({ goods }) => goods);
  return 'goods' in step ? [step.goods] : [];
}
