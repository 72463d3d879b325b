import { type ServerAnswer } from './answer-text.js';

/** A committed change of the stock. */
interface Change {
  readonly inventory?: (before: number) => number;
  readonly sold?: number;
}

const GOODS_ID = 1;
const GOODS = new RegExp(`\\bWHERE id = ${GOODS_ID}\\b`);
const ABSOLUTE = /^UPDATE goods SET (?:\w+ = [^,]+, )*inventory = (\d+)\b/;
const RELATIVE = /^UPDATE goods SET (?:\w+ = [^,]+, )*inventory = inventory ([-+]) (\d+)\b/;
const ORDERS = /^INSERT INTO orders \(([^)]*)\) VALUES (.*)$/;
const STOCK_KEY = /^(?:DECRBY|INCRBY|GET) \S+:stock\b/;
/** Writes whose effect other requests or a background process complete. */
const ELSEWHERE =
  /\bstock_segments\b|^UPDATE goods SET stock_in\b|\bredis-lua\.lua\b|\b(?:open|close)-stock\.lua\b/;

/** A command with its values in their places, and its answer. */
export interface Executed {
  readonly buyer: string;
  readonly server: string;
  readonly command: string;
  readonly answer: ServerAnswer | undefined;
  /** The answer in words. */
  readonly told: string;
}

/** The stock in MySQL and in Redis, from the answers to the commands. What cannot be told from them is undefined. */
export class StoredStock {
  inventory: number | undefined;
  sold: number | undefined = 0;
  redisStock: number | undefined;
  /** Changes of open transactions. */
  private readonly open = new Map<string, Change[]>();
  /** Commands of open MULTI blocks. */
  private readonly queued = new Map<string, string[]>();

  constructor(inventory: number) {
    this.inventory = inventory;
  }

  execute(executed: Executed): void {
    if (executed.server === 'mysql') this.inMysql(executed);
    else if (executed.server === 'redis') this.inRedis(executed);
    if (executed.answer?.error === undefined && ELSEWHERE.test(executed.command)) this.unknown();
  }

  /** The connection of the buyer has ended: its transaction is rolled back. */
  disconnect(buyer: string): void {
    this.open.delete(buyer);
    this.queued.delete(buyer);
  }

  /** Redis has lost its data, or other data is there now. */
  loseRedis(): void {
    this.redisStock = undefined;
  }

  private inMysql({ buyer, command, answer, told }: Executed): void {
    const commits = command === 'COMMIT' || (!this.open.has(buyer) && changes(command));
    // Whether it was executed is not known.
    if (commits && (!answer || isLost(answer))) {
      this.unknown();
      return;
    }
    if (!answer) return;
    if (answer.error !== undefined) {
      if (isRollback(answer.error)) this.open.delete(buyer);
      return;
    }
    if (command === 'START TRANSACTION') this.open.set(buyer, []);
    else if (command === 'ROLLBACK') this.open.delete(buyer);
    else if (command === 'COMMIT') {
      for (const change of this.open.get(buyer) ?? []) this.apply(change);
      this.open.delete(buyer);
    } else if (command.startsWith('CALL deduct_stock(')) this.called(command, told);
    else this.changed(buyer, command, told);
  }

  private changed(buyer: string, command: string, told: string): void {
    const change = told.startsWith('0 rows') ? undefined : changeOf(command);
    if (!change) return;
    const transaction = this.open.get(buyer);
    if (transaction) transaction.push(change);
    else this.apply(change);
  }

  /** The procedure commits by itself. */
  private called(command: string, told: string): void {
    const remaining = /\boutcome sold\b.*\bremaining (\d+)/.exec(told)?.[1];
    const quantity = Number(/\(\d+, (\d+)/.exec(command)?.[1]);
    if (remaining !== undefined) this.apply({ inventory: () => Number(remaining), sold: quantity });
  }

  private apply({ inventory, sold = 0 }: Change): void {
    if (this.inventory !== undefined && inventory) this.inventory = inventory(this.inventory);
    if (this.sold !== undefined) this.sold += sold;
  }

  private unknown(): void {
    this.inventory = undefined;
    this.sold = undefined;
  }

  private inRedis({ buyer, command, answer, told }: Executed): void {
    if (!answer || answer.error !== undefined) return;
    const queue = this.queued.get(buyer);
    if (command === 'MULTI') this.queued.set(buyer, []);
    else if (command === 'EXEC') {
      this.queued.delete(buyer);
      const results = Array.isArray(answer.value) ? (answer.value as readonly unknown[]) : [];
      results.forEach((result, index) => {
        this.stockIs(queue?.[index] ?? '', result);
      });
    } else if (told === 'QUEUED') queue?.push(command);
    else this.stockIs(command, answer.value);
    const left = /\bredis-lua\.lua\b/.test(command) && /^accepted, (\d+) left$/.exec(told)?.[1];
    if (left) this.redisStock = Number(left);
    // It adds the units of the reservation, which the command does not name.
    if (command.includes(' return-units.lua ') && told === 'returned') this.redisStock = undefined;
  }

  private stockIs(command: string, value: unknown): void {
    if (STOCK_KEY.test(command) && /^-?\d+$/.test(String(value))) this.redisStock = Number(value);
  }
}

function changes(command: string): boolean {
  return /^(?:UPDATE goods|INSERT INTO orders|CALL deduct_stock)\b/.test(command);
}

function isLost({ error }: ServerAnswer): boolean {
  return error !== undefined && !/^\d{4} /.test(error);
}

/** Deadlocks and lost connections end the transaction; other errors end only the statement. */
function isRollback(error: string): boolean {
  return !/^\d{4} /.test(error) || error.startsWith('1213 ');
}

function changeOf(command: string): Change | undefined {
  const orders = ORDERS.exec(command);
  if (orders) return { sold: soldBy(orders[1] ?? '', orders[2] ?? '') };
  if (!GOODS.test(command)) return undefined;
  const absolute = ABSOLUTE.exec(command)?.[1];
  if (absolute !== undefined) return { inventory: () => Number(absolute) };
  const [, sign, number] = RELATIVE.exec(command) ?? [];
  return sign === undefined
    ? undefined
    : { inventory: (before) => before + (sign === '-' ? -Number(number) : Number(number)) };
}

function soldBy(columns: string, values: string): number {
  const names = columns.split(', ');
  const [kind, quantity] = [names.indexOf('kind'), names.indexOf('quantity')];
  return [...values.matchAll(/\(([^()]*)\)/g)].reduce((sum, [, row = '']) => {
    const cells = row.split(', ');
    const units = Number(cells[quantity]);
    if (cells[kind] === "'SALE'") return sum + units;
    return cells[kind] === "'RETURN'" ? sum - units : sum;
  }, 0);
}
