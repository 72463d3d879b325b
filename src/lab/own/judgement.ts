import { type Trial } from './trial.js';

/** What contradicts the strategy's promises, in sentences. Empty when the trial found nothing. */
export function contradictions({ strategy, load, speeds, explorations, experiments }: Trial): string[] {
  const own = speeds.find((speed) => speed.strategy === strategy.name);
  return [
    ...[load, ...(own ? [own] : [])]
      .filter(({ kept }) => !kept)
      .map(({ verdict, explanation }) => `Under load it was ${verdict}: ${explanation}`),
    ...explorations.flatMap(({ plan, findings, expected }) => {
      const broken = Object.keys(findings).filter((finding) => finding !== 'SAFE');
      const fault = plan.faults === 'none' ? 'without a fault' : 'with one fault';
      return broken.length > 0 && expected === 'safe'
        ? [`The explorer found a schedule ${fault} that ends as ${broken.join(', ')}.`]
        : [];
    }),
    ...experiments.filter(({ ok }) => !ok).map(({ fault, why }) => `Under the fault ${fault}: ${why}`),
    ...(strategy.safe === 'never' && load.verdict === 'SAFE'
      ? ['It promises nothing (safe: never), and this load did not break it.']
      : []),
  ];
}
