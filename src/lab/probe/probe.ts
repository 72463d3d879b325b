import { LabError } from '../errors.js';
import { Destination } from './destination.js';
import { type ProbeOptions } from './options.js';
import { type RequestSpec, sample } from './request-spec.js';
import { ProbedShop, type ProbeDestinations } from './round.js';
import { BROKEN, type JudgedRound, judgeAll, judgeRound, type ProbeVerdict } from './verdict.js';

export interface ProbeResult {
  readonly verdict: ProbeVerdict;
  readonly why: string;
  readonly rounds: readonly JudgedRound[];
}

/** Plays rounds until one is broken, the stock is sold out, or the time is over. */
export async function probeShop(
  options: ProbeOptions,
  stop: AbortSignal,
  onRound: (round: JudgedRound) => void,
): Promise<ProbeResult> {
  const rounds: JudgedRound[] = [];
  try {
    const shop = new ProbedShop(options, await destinationsOf(options, stop), stop);
    const endAt = performance.now() + options.withinMs;
    while (rounds.length < options.rounds && performance.now() < endAt && !stop.aborted) {
      const round = await shop.round(supplyLeft(options, rounds));
      if (!round) break;
      const judged = { ...round, verdict: judgeRound(round, options) };
      rounds.push(judged);
      onRound(judged);
      if (BROKEN.includes(judged.verdict.finding)) break;
    }
  } catch (error) {
    // After Ctrl-C, requests in flight fail. The rounds before are judged.
    if (!stop.aborted) throw error;
  }
  if (rounds.length === 0 && !stop.aborted)
    throw new LabError('Nothing is in stock, so nothing can be sold. Set the stock, or add --reset.');
  return { ...judgeAll(rounds), rounds };
}

/** With a reset, every round has the whole supply. */
function supplyLeft(
  { supply, reset, quantity }: ProbeOptions,
  rounds: readonly JudgedRound[],
): number | undefined {
  if (supply === undefined || reset) return supply;
  const sold = rounds.flatMap(({ outcomes }) => outcomes.filter(({ kind }) => kind === 'sold'));
  return supply - quantity * sold.length;
}

async function destinationsOf(
  { buy, stock, reset, allowedHosts, timeoutMs }: ProbeOptions,
  stop: AbortSignal,
): Promise<ProbeDestinations> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
  const found = new Map<string, Promise<Destination>>();
  const find = (spec: RequestSpec) => {
    const url = new URL(sample(spec.url));
    const known = found.get(url.origin) ?? Destination.find(url, allowedHosts, signal);
    found.set(url.origin, known);
    return known;
  };
  return {
    buy: await find(buy),
    stock: stock && (await find(stock.request)),
    reset: reset && (await find(reset)),
  };
}
