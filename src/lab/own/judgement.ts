import { type Exploration } from '../explorer/explorer.js';
import { type Trial } from './trial.js';

/** What contradicts the strategy's promises, in sentences. Empty when the trial found nothing. */
export function contradictions({ strategy, load, speeds, explorations, experiments }: Trial): string[] {
  const own = speeds.find((speed) => speed.strategy === strategy.name);
  return [
    ...[load, ...(own ? [own] : [])]
      .filter(({ kept }) => !kept)
      .map(({ verdict, explanation }) => `Under load it was ${verdict}: ${explanation}`),
    ...explorations.flatMap(({ plan, findings, expected }) => {
      const broken = violationsIn(findings);
      const fault = plan.faults === 'none' ? 'without a fault' : 'with one fault';
      return broken.length > 0 && expected === 'safe'
        ? [`The explorer found a schedule ${fault} that ends as ${broken.join(', ')}.`]
        : [];
    }),
    ...experiments.filter(({ ok }) => !ok).map(({ fault, why }) => `Under the fault ${fault}: ${why}`),
    ...(strategy.safe === 'never' && load.verdict === 'SAFE' && !explorations.some(isBroken)
      ? ['It promises nothing (safe: never), and neither this load nor the explorer broke it.']
      : []),
  ];
}

function isBroken({ findings }: Exploration): boolean {
  return violationsIn(findings).length > 0;
}

function violationsIn(findings: Exploration['findings']): string[] {
  return Object.keys(findings).filter((finding) => finding !== 'SAFE');
}

const EXIT = { asPromised: 0, contradicted: 1, inconclusive: 3, interrupted: 130 };

/** The exit code of the command. A contradiction counts more than a part that could not be tested. */
export function exitCodeOf(trial: Trial): number {
  if (trial.interrupted) return EXIT.interrupted;
  if (contradictions(trial).length > 0) return EXIT.contradicted;
  return trial.untested.length > 0 ? EXIT.inconclusive : EXIT.asPromised;
}
