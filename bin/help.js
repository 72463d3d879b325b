// What `lockstock --help` and `lockstock <command> --help` print.

const UP = `Usage: lockstock up [options]        (npm start -- [options])

Starts a private MariaDB, Redis and nginx, several instances of the service, and, if they are installed,
etcd and ZooKeeper. Restarts a server or instance that crashes. Runs until Ctrl-C. All files are in the
data directory.

Options:
  --instances N   number of instances of the service, 1 to 16 (default 3)
  --port P        port of nginx on 127.0.0.1 (default 8080, or the next free port)
  --data DIR      data directory: databases, logs, secrets (default .lab)
  --fresh         delete the contents of the data directory first
  -h, --help      this text

Environment:
  ADMIN_TOKEN     the token for admin calls (default: a random one, kept in the data directory)
  LOCKSTOCK_PORTS the range of the servers' ports (default 15000-32000)
  NO_COLOR        no colours on the terminal
`;

const DEV = `Usage: lockstock dev [options]        (npm run dev -- [options])

Runs the lab as \`lockstock up\` does, and watches src/, web/ and migrations/. After a change it checks the
types, builds what changed, and restarts the instances one by one. A change of web/ needs no restart:
reload the page. An error in the sources is shown, and the instances keep the last build without errors.
Each instance has a debugger port on 127.0.0.1; the ports are printed.

Options: those of \`lockstock up\`
  --instances N   number of instances of the service, 1 to 16 (default 3)
  --port P        port of nginx on 127.0.0.1 (default 8080, or the next free port)
  --data DIR      data directory: databases, logs, secrets (default .lab)
  --fresh         delete the contents of the data directory first
  -h, --help      this text
`;

const LOAD = `Usage: lockstock load <strategy> [<strategy> …] [options]

Many buyers buy the same goods at the same time, with one strategy after the other. Then the ledger is
audited and compared with the receipts. The load goes to the system at --url. Without --url it goes to the
lab that runs in the data directory, or, if none runs there, to a private system that is stopped afterwards.

Options:
  --stock N       units in stock (default 100)
  --buyers N      buyers at the same time, 1 to 1000 (default 100)
  --requests N    total number of purchases (default 1000)
  --quantity N    units per purchase, 1 to 100 (default 1)
  --seconds S     start no purchase after S seconds
  --instances K   use only the first K instances
  --no-retry      do not retry after 503 or 429
  --url URL       address of a running system
  --token T       its admin token (default: ADMIN_TOKEN from the environment)
  --data DIR      data directory of the lab to use (default .lab)
  --json FILE     write all measurements to a file
  --strict        fail on every verdict except SAFE
  -h, --help      this text

Exits with 1 when a strategy breaks its promise (--strict: when any verdict is not SAFE), and with 2 for
wrong arguments. Ctrl-C ends the load early; the purchases made until then are judged and printed.
`;

const COMPARE = `Usage: lockstock compare [options]

Runs every available strategy under the same two loads on a private system: little stock and many buyers
for the verdict, ample stock for the speed. Takes about six minutes on two cores. Writes compare.json,
compare.md and compare.html.

Options:
  --rounds N          rounds of the speed measurement (default 2)
  --seconds S         seconds per strategy and round (default 2)
  --buyers N          buyers at the same time (default 32)
  --instances LIST    numbers of instances, separated by commas (default 1,3)
  --strategies LIST   only these strategies, separated by commas
  --out DIR           folder for the report (default reports)
  -h, --help          this text

Exits with 1 when a strategy breaks its promise.
`;

const EXPERIMENTS = `Usage: lockstock experiments [name …] [options]

Stops requests at exact lines of a strategy, injects a fault into real servers, and reports which
strategies oversold. A name is an experiment, a fault (a column of the matrix), a strategy, a claim such
as C12 or an interleaving such as P3 (both are listed in docs/claims.md). Without a name all experiments run.

Options:
  --list      list the experiments and run none
  --story     print every step (default when names are given)
  --json      print the evidence as JSON
  --record    write the evidence to docs/experiments, which npm test compares
  --out DIR   folder for evidence and the matrix (default reports/experiments)
  --draw DIR  draw the recorded evidence as SVG sequence diagrams; runs nothing
  -h, --help  this text

Exits with 1 when an experiment does not end as expected: its fault did not happen, its steps came in
another order, or the result differs from what the strategy promises. An experiment that needs a server
that is not installed is reported and skipped.
`;

const CHAOS = `Usage: lockstock chaos [options]

Searches for histories that break a promise. Many clients send random operations to a private system:
sales with and without keys, reused keys, baskets, returns, resets, reads, audits, overload and malformed
requests. Some rounds use one strategy per goods, others several; some kill and pause instances, Redis and
MariaDB. Every call is recorded with its start, end and answer, and the whole history is checked against
the ledger.

Options:
  --seed N            the first seed (default: random, printed); each round adds one
  --minutes N         start no round after N minutes (default 5)
  --seconds N         the same in seconds
  --rounds N          at most N rounds; --seed N --rounds 1 repeats one seed
  --strategies LIST   only these strategies, separated by commas (default: all with a promise); the
                      others are then disabled, and must not sell
  --mode MODE         single: one strategy for each goods; mixed: several at once; both (default)
  --faults LIST       none, all (default), or some of kill-instance, kill-redis, kill-mariadb,
                      pause-instance, pause-redis, pause-mariadb; kill, pause, redis … stand for several.
                      About half of the rounds have faults; they use only strategies that are always safe
  --without LIST      omit operations: sales, keys, reuse, baskets, returns, unknown-orders, resets,
                      reads, audits, overload, malformed, waits
  --goods N           goods that are sold, 1 to 12 (default 4)
  --clients N         clients at the same time, 1 to 200 (default 12)
  --shrink-seconds N  time to search for a shorter plan that fails (default 60; 0: no search)
  --keep-going        continue after a seed that breaks a promise
  --strict            judge every strategy as if it promised to be always safe
  --replay FILE       run the plan in a violation file again
  --tries N           repeat a replayed plan until it fails, at most N times (default 20)
  --out DIR           folder for violation files (default reports/chaos)
  --json              print the checks and violations as JSON
  -h, --help          this text

A seed always gives the same plan. The servers are real, so the history may differ. Exits with 1 when a
promise was broken and with 2 for wrong arguments. Ctrl-C ends the search early with a report and exit code 130.
`;

const BENCH = `Usage: lockstock bench [options]
       lockstock bench --compare BEFORE.json AFTER.json

Measures how fast strategies and locks are, and what limits them, on private servers. The measurements take
turns in rounds; a value is the median of the rounds. Writes a report as JSON, Markdown and SVG charts.

Options:
  --only LIST     parts to measure, separated by commas (default: all except soak)
                    http     one hot row: strategies through nginx, the same statements by mysql2 alone
                    locks    the locks of src/locks and other packages, with 1 to 200 waiters in 1 and 3 processes
                    scaling  curves over instances, buyers, goods, orders per commit and segments; mostly reads
                    start    CPU time until an instance is ready
                    audit    time of an audit of up to a million sales
                    soak     memory of each instance and its growth during minutes of load
  --rounds N      rounds, 1 to 100 (default: 5 for http and start, 2 for scaling, 3 for
                  other parts)
  --seconds S     length of one measurement, 1 to 60 (default 2; scaling 1, locks 0.4)
  --buyers N      buyers at the same time, 1 to 1000 (default 32)
  --minutes N     length of the soak, 1 to 600 (default 10)
  --quick         one short round without warm-up: shows that it works, not how fast it is
  --check         exit with 1 when a ratio is below its bar, or was not measured
  --out DIR       folder of the report (default reports/bench)
  --json FILE     also write the JSON to this file
  --compare       compare two JSON files, point by point; runs of different machines are refused
  -h, --help      this text

Nothing else should run on the machine. Ctrl-C ends it early, stops all servers, reports what was measured and
exits with 130. Exits with 2 for wrong arguments.
`;

const DOCTOR = `Usage: lockstock doctor

Lists the programs and packages that Lockstock needs: what is installed, what is missing, how to install
it. Changes nothing. Exits with 1 when a required item is missing.
`;

const EXPLORE = `Usage: lockstock explore <strategy> [<strategy> …] [options]
       lockstock explore --all [options]

Runs a strategy on real servers under every interleaving of its buyers' commands, and judges each run by the
ledger and the receipts. Interleavings that only swap commands that commute are run once. Prints the simplest
schedule that breaks the strategy, step by step, and how to replay it. docs/explorer.md explains the method
and its limits.

Options:
  --buyers N        buyers of one unit each, 2 or 3 (default 2)
  --instances K     instances of the service, 1 to N (default: one per buyer)
  --stock N         units in stock (default 1; 2 when an answer may be lost)
  --faults FAULT    none (default), or what happens once, at any point:
                    expire       the lease of a lock holder ends while its process is paused
                    expire-late  the same, after the holder has committed
                    crash        the process of a buyer is killed
                    lost-reply   an answer of a server, or of the service, is lost; a buyer without a usable
                                 answer asks once more
                    any          one of these
  --keys            each buyer sends an idempotency key (always for the strategy idempotent)
  --preemptions N   only schedules with at most N switches away from a buyer that could continue
                    (default: no bound; 1 for strategies that need the Redlock masters)
  --max N           stop after N runs
  --all             every strategy whose servers are installed, and a table at the end
  --first           stop at the first schedule that breaks the strategy; it may not be the simplest one
  --interactive     you choose every step: a and b send the buyer's next command; expire a, crash a, lose a, undo,
                    show, help, quit. Reads lines from standard input, so a file works as well
  --schedule S      replay one schedule, such as "A2 B6 A4" or "A3 expire:A B7 A4"
  --all-commands    also schedule housekeeping: caches, subscriptions, renewals
  --no-reduction    also run interleavings that only swap commands that commute
  --record          write the result and its counterexample to docs/explorations, which the page shows, and a row
                    into docs/explorer-results.md, in place of earlier ones for the same strategy and fault
  --json FILE       write coverage, verdicts and the counterexample with all values to a file
  --diagram FILE    draw the counterexample, or the replayed schedule, as an SVG sequence diagram
  -h, --help        this text

Exits with 0 when the result is what the strategy promises: a safe strategy is SAFE in all schedules, an
unsafe one is BROKEN. Exits with 1 otherwise, with 2 for wrong arguments, and with 130 after Ctrl-C, which ends
the search after the current run and reports what was covered. With --interactive it exits with 0, or with 2 after
a line of a script that is not possible.
`;

const NEW = `Usage: lockstock new <name>

Writes <name>.ts into the current folder: a strategy that works and explains what it uses. Change it, and test it
with \`lockstock try <name>.ts\`. docs/try.md describes what a strategy can use.

Options:
  -h, --help  this text

Exits with 2 when the name is not possible or the file exists; nothing is written then.
`;

const TRY = `Usage: lockstock try <file.ts> [options]

Tests a strategy of your own, in a file outside of this project: checks its types and compiles it, lets 100 buyers
buy on three instances, measures its speed beside built-in strategies, runs every interleaving of two buyers'
commands, and injects faults. Takes about five minutes. The strategy's code runs on this machine with your rights.
\`lockstock new my-strategy\` writes a file to begin with; docs/try.md explains the report.

Options:
  --quick      without faults, and shorter: about one minute
  --json FILE  write everything that was found to a file
  --html FILE  write the report with drawings of the counterexamples
  -h, --help   this text

Exits with 0 when nothing contradicts what the strategy promises, with 1 when something does or when it cannot sell,
with 2 for wrong arguments, compile errors and wrong metadata, with 3 when nothing contradicts it but a part could not
be tested, and with 130 after Ctrl-C, which reports what was tested until then.
`;

const PROBE = `Usage: lockstock probe --buy REQUEST (--stock REQUEST | --supply N) [options]

Tests a service of your own, whatever it is made of: many buyers buy at the same moment, and their receipts
are compared with the stock before and after. It must be a test system: the purchases are real.
docs/probe.md has examples, and what the result means.

  lockstock probe --buy 'POST http://127.0.0.1:3000/buy {"sku":1}' \\
    --stock 'GET http://127.0.0.1:3000/stock/1 $.left' --reset 'POST http://127.0.0.1:3000/reset {"stock":10}'

Options:
  --buy REQUEST       method, address and body of one purchase; {{n}} becomes a number and {{id}} a random id
                      that no other purchase has
  --stock REQUEST     method and address that tell the stock, and its place in the JSON answer
  --reset REQUEST     sent before each round, to fill the stock
  --supply N          units that may be sold: per round with --reset, otherwise in all rounds together
                      (default: what --stock tells before the round)
  --quantity N        units that one purchase buys (default 1)
  --sold-status LIST  statuses of a sale, such as 200,201 (default 2xx)
  --sold-when P=V     a sale also has this value in its JSON answer, such as '$.status=confirmed'
  --receipt PATH      the receipt's id in the JSON answer, such as $.orderId: two buyers must not get the same
  --header H          'Name: value' for every request; may be repeated
  --buyers N          buyers at the same moment, 2 to 200 (default 20)
  --rounds N          at most N rounds, 1 to 100 (default 5)
  --timeout S         seconds to wait for answers, 1 to 60 (default 10)
  --seconds S         begin no round after S seconds, 1 to 600 (default 60)
  --allow-host HOST   a host that is not this machine; may be repeated
  --json FILE         write verdict and rounds to a file
  -h, --help          this text

Exits with 0 when the stock held, with 1 when it was oversold or stock and receipts contradict each other, with
2 for wrong arguments, with 3 when the test is inconclusive: nothing was shown, and the reason is printed. Ctrl-C
ends it with 130.
`;

const LOCKSTOCK = `Lockstock sells the same stock with every locking strategy and shows which of them oversell.

Usage: lockstock <command> [options]

Commands:
  up            start servers, instances and the page (npm start)
  dev           the same; after every change of the sources, build and restart (npm run dev)
  load          let many buyers buy at once, and audit the result
  bench         measure what is fast and what limits it, and check it against bars
  compare       run all strategies under the same load, and write a report
  experiments   inject faults into real servers, and show which strategies break
  explore       run every interleaving of buyers' commands, and show the simplest that breaks a strategy
  new           write a strategy of your own to begin with
  try           test a strategy of your own: load, interleavings, faults
  probe         test any HTTP service of your own for overselling
  chaos         run random operations and faults, and check every answer against the ledger
  doctor        list what is installed and what is missing

Run lockstock <command> --help for its options. docs/commands.md has examples.
`;

/** @type {Readonly<Record<string, string>>} */
export const HELP = {
  experiments: EXPERIMENTS,
  explore: EXPLORE,
  new: NEW,
  try: TRY,
  probe: PROBE,
  chaos: CHAOS,
  lockstock: LOCKSTOCK,
  up: UP,
  dev: DEV,
  load: LOAD,
  compare: COMPARE,
  bench: BENCH,
  doctor: DOCTOR,
};
