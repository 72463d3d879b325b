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
    'A step is one command to MySQL, Redis, etcd or ZooKeeper: the text with its values, what the server returned (`answer`), the line that sent it (`source`), and what is stored afterwards (`after`: the committed stock and sales, the stock in Redis, and who holds the lock; it is derived from the answers, and `npm test` compares the last one with the rows of the database). A command that has to wait has no answer; the answer is a later step of the kind `reply`. The end of a lease is a step of the kind `time`. Each Redlock master has its own lifeline.',
    'The evidence is normalised: a second recording gives the same bytes unless behaviour changed, and `npm test` compares them. Lock owners, orders, instances and servers are named after their buyer or numbered, `<run>`, `<ms>` and similar words replace values that differ from run to run, versions count from the first one that was read, tokens and leases are ranked, and the commands of concurrent requests are in the order in which the experiment waited for them. Lease renewals, cache updates and repeated polling commands are left out, because their number depends on the time. A live run on the page shows them folded. The code is in [src/lab/evidence](../../src/lab/evidence).',
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
