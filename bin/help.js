// What `lockstock --help` and `lockstock <command> --help` print.

const UP = `Usage: lockstock up [options]        (npm start -- [options])

Starts a private MariaDB, Redis and nginx, etcd and ZooKeeper where they are installed, and several
instances of the service, and watches over them until Ctrl-C. Everything it writes is under its data directory.

Options:
  --instances N   how many instances of the service, 1 to 16 (default 3)
  --port P        where nginx listens on 127.0.0.1 (default 8080, or the next free port)
  --data DIR      data directory: databases, logs, secrets (default .lab)
  --fresh         empty the data directory first
  -h, --help      this text

Environment:
  ADMIN_TOKEN     the token for admin calls (default: a random one, kept in the data directory)
  LOCKSTOCK_PORTS the range in which servers get their ports (default 15000-32000)
  NO_COLOR        no colours on the terminal
`;

const LOAD = `Usage: lockstock load <strategy> [<strategy> …] [options]

Buyers buy the same goods at the same time, with one strategy after the other; then the ledger is
audited and compared with what the buyers were told. Uses the system at --url, else the one that runs
in the data directory, else a private one that it starts and stops.

Options:
  --stock N       pieces in stock (default 100)
  --buyers N      buyers at the same time, 1 to 1000 (default 100)
  --requests N    purchases in all (default 1000)
  --quantity N    pieces per purchase, 1 to 100 (default 1)
  --seconds S     begin no purchase after so many seconds
  --instances K   only on the first K instances
  --no-retry      buyers who are told to come back later do not
  --url URL       a system that runs elsewhere
  --token T       its admin token (default: ADMIN_TOKEN from the environment)
  --data DIR      data directory of the lab to use (default .lab)
  --json FILE     write everything that was measured
  --strict        fail on every verdict but SAFE
  -h, --help      this text

Exits with 1 when a strategy that promises to be safe is not (--strict: when any is not), with 2 when
the command cannot be understood. Ctrl-C ends the load early; what was measured is judged and printed.
`;

const COMPARE = `Usage: lockstock compare [options]

Every strategy that is available under the same two loads, in rounds, on a private system: few pieces
and many buyers for the verdict, ample stock for the speed. Takes about six minutes on two cores.
Writes compare.json, compare.md and compare.html.

Options:
  --rounds N          rounds of speed (default 2)
  --seconds S         seconds of speed per strategy and round (default 2)
  --buyers N          buyers at the same time (default 32)
  --instances LIST    how many instances to measure with, with commas between (default 1,3)
  --strategies LIST   only these, with commas between
  --out DIR           where to write the report (default reports)
  -h, --help          this text

Exits with 1 when a strategy that promises to be safe is not.
`;

const EXPERIMENTS = `Usage: lockstock experiments [name …] [options]

Stops requests at exact lines of a strategy, injects a fault into real servers, and reports which
strategies oversold. A name is an experiment, a fault (a column of the matrix), a strategy, a claim such
as C12 or an interleaving such as P3 (both are listed in docs/claims.md). Without a name all experiments run.

Options:
  --list      only say which there are
  --story     tell each as a story (default when names are given)
  --json      print the evidence as JSON instead
  --out DIR   where evidence, drawings and the matrix go (default reports/experiments)
  -h, --help  this text

Exits with 1 when one was not as expected: a fault that did not fire, an order of steps that did not happen,
a strategy that broke or held against its own word. What this machine cannot do is said and not run.
`;

const CHAOS = `Usage: lockstock chaos [options]

Searches for histories that break a promise. Many clients send random mixes of every operation to a
private system: sales with and without keys, keys used again, baskets, returns, resets, reads, audits,
overload and malformed requests, with one strategy for each goods and with several at the same time,
without faults and while instances, Redis and MariaDB are killed and paused. Every call is recorded with
its start, its end and its answer; then the whole history is checked against the ledger.

Options:
  --seed N            the first seed (default: random, printed); each round adds one
  --minutes N         begin no round later than this (default 5)
  --seconds N         the same in seconds
  --rounds N          at most so many rounds; --seed N --rounds 1 plays one seed again
  --strategies LIST   only these, with commas between (default: all that promise to be safe)
  --mode MODE         single: one strategy for each goods; mixed: several at once; both (default)
  --faults LIST       none, all (default), or some of kill-instance, kill-redis, kill-mariadb,
                      pause-instance, pause-redis, pause-mariadb; kill, pause, redis … name several.
                      About half of the rounds have faults, with the strategies that are always safe
  --without LIST      leave operations out: sales, keys, reuse, baskets, returns, unknown-orders, resets,
                      reads, audits, overload, malformed, waits
  --goods N           goods that are sold, 1 to 12 (default 4)
  --clients N         clients at the same time, 1 to 200 (default 12)
  --shrink-seconds N  how long to look for the shortest plan that fails (default 60; 0: not at all)
  --keep-going        do not stop at the first seed that breaks a promise
  --strict            hold every strategy to the promise of being always safe
  --replay FILE       play the plan of a file that a violation was written to
  --tries N           play a replayed plan until it fails, at most so often (default 20)
  --out DIR           where violations are written (default reports/chaos)
  --json              print what was checked and found as JSON
  -h, --help          this text

A seed always makes the same plan, but the servers are real: it does not always make the same history.
Exits with 1 when a promise was broken, 2 for wrong options. Ctrl-C ends the search early: what was
checked until then is reported, and the exit code is 130.
`;

const DOCTOR = `Usage: lockstock doctor

Says what this machine has of what Lockstock needs, what is missing and how to get it.
Changes nothing. Exits with 1 when something needed is missing.
`;

const LOCKSTOCK = `Lockstock sells the same stock with every locking strategy and shows which of them oversell.

Usage: lockstock <command> [options]

Commands:
  up            start everything: servers, instances, the page (npm start)
  load          buyers at the same time, and what the ledger says of it
  compare       all strategies under the same load, as a table and a report
  experiments   which strategy breaks under which fault, seen on real servers
  chaos         random histories beside faults, checked against the ledger
  doctor        what is there, what is missing, how to get it

lockstock <command> --help tells more. The README has the rest.
`;

/** @type {Readonly<Record<string, string>>} */
export const HELP = {
  experiments: EXPERIMENTS,
  chaos: CHAOS,
  lockstock: LOCKSTOCK,
  up: UP,
  load: LOAD,
  compare: COMPARE,
  doctor: DOCTOR,
};
