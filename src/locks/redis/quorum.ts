import { type RedisClient } from './connect.js';

/** What the nodes answered until the count was closed. Nodes that had not answered by then are not counted. */
export interface Tally {
  readonly yes: number;
  readonly no: number;
  readonly errors: readonly unknown[];
}

/** When to stop counting: as soon as the outcome is certain, or when every node has answered. */
export type Patience = 'until-decided' | 'until-all';

/** Independent Redis masters that decide by majority. That they are independent is up to the operator. */
export class Quorum {
  readonly majority: number;

  constructor(
    private readonly nodes: readonly RedisClient[],
    private readonly timeoutMs: number,
  ) {
    if (nodes.length < 3 || nodes.length % 2 === 0)
      throw new RangeError(`A quorum needs an odd number of nodes, 3 at least; ${nodes.length} were given.`);
    if (new Set(nodes).size < nodes.length)
      throw new RangeError('A node was given twice; it would have two votes.');
    this.majority = (nodes.length + 1) / 2;
  }

  /**
   * Asks all nodes at the same moment, so one timer is the timeout of all: a node that hangs costs at most that, and
   * nothing where the other nodes decide without it.
   */
  ask(question: (node: RedisClient) => Promise<boolean>, patience: Patience): Promise<Tally> {
    return new Promise((resolve) => {
      let [yes, no] = [0, 0];
      const errors: unknown[] = [];
      const close = () => {
        clearTimeout(timer);
        resolve({ yes, no, errors: [...errors] });
      };
      // One turn later: after a stall of this process the timer fires before the answers that arrived meanwhile are read.
      const timer = setTimeout(() => setImmediate(close), this.timeoutMs);
      const closeIfDone = () => {
        const against = no + errors.length;
        const decided = yes >= this.majority || against >= this.majority;
        if (yes + against === this.nodes.length || (decided && patience === 'until-decided')) close();
      };
      for (const node of this.nodes)
        void question(node)
          .then(
            (agreed) => (agreed ? (yes += 1) : (no += 1)),
            (error: unknown) => errors.push(error),
          )
          .then(closeIfDone);
    });
  }
}
