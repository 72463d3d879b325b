import { type Evidence } from '../../contract/evidence.js';

/** The experiments whose diagrams are part of the documentation. All others are drawn on demand. */
export const DRAWN = [
  'concurrency.no-lock',
  'unlock-before-commit',
  'early-snapshot',
  'blind-delete',
  'pause.setnx-lua',
  'stale-token-refused',
  'two-larger-tokens',
  'two-leases-one-match',
  'lost-wakeup',
  'gate-failover',
] as const;

/** docs/experiments/README.md: how to read the evidence, and ten diagrams. */
export function experimentsPage(evidence: ReadonlyMap<string, Evidence>): string {
  const drawings = DRAWN.flatMap((id) => {
    const found = evidence.get(id);
    return found
      ? [`### ${found.title}`, `${found.verdict}: ${found.why}`, `![${found.title}](${id}.svg)`]
      : [];
  });
  return `${[
    '# Recorded experiments',
    'Each file here is the evidence of one experiment on real servers: its steps, the proof that the fault fired, the rows in the ledger and the verdict. [matrix.md](matrix.md) links to all of them.',
    'The evidence is normalised: a second recording gives the same bytes unless behaviour changed, and `npm test` compares them. Lock owners, order ids, instances and servers have numbered names, words replace measured times, and the commands of concurrent requests are in the order in which the experiment waited for them. Lease renewals, cache updates and repeated polling commands are left out. The code is in [src/lab/evidence](../../src/lab/evidence).',
    [
      '```sh',
      'npx lockstock experiments pause.setnx-lua            # run one',
      'npx lockstock experiments pause.setnx-lua --record   # and record it here',
      'npx lockstock experiments --draw reports/diagrams    # draw all recorded evidence',
      '```',
    ].join('\n'),
    '## Ten diagrams',
    ...drawings,
  ].join('\n\n')}\n`;
}
