// What `lockstock --help` and `lockstock <command> --help` print.

const UP = `Usage: lockstock up [options]        (npm start -- [options])

Starts a private MariaDB, Redis and nginx and several instances of the service, and watches over
them until Ctrl-C. Everything it writes is under its data directory.

Options:
  --instances N   how many instances of the service, 1 to 16 (default 3)
  --port P        where nginx listens on 127.0.0.1 (default 8080, or the next free port)
  --data DIR      data directory: databases, logs, secrets (default .lab)
  --fresh         empty the data directory first
  -h, --help      this text

Environment:
  ADMIN_TOKEN     the token for admin calls (default: a random one, kept in the data directory)
  NO_COLOR        no colours on the terminal
`;

const DOCTOR = `Usage: lockstock doctor

Says what this machine has of what Lockstock needs, what is missing and how to get it.
Changes nothing. Exits with 1 when something needed is missing.
`;

const LOCKSTOCK = `Lockstock sells the same stock with every locking strategy and shows which of them oversell.

Usage: lockstock <command> [options]

Commands:
  up        start everything: servers, instances, the page (npm start)
  doctor    what is there, what is missing, how to get it

lockstock <command> --help tells more. The README has the rest.
`;

/** @type {Readonly<Record<string, string>>} */
export const HELP = { lockstock: LOCKSTOCK, up: UP, doctor: DOCTOR };
