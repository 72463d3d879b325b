import { type RedisClient } from './connect.js';

/** What the nodes answered until the count was closed. Nodes that had not answered by then are not counted. */
export interface Tally {
  readonly yes: number;
  readonly no: number;
  readonly errors: readonly unknown[];
}

/** When to stop counting answers: as soon as the outcome is certain, or when every node has answered. */
export type CountUntil = 'until-decided' | 'until-all';

/** Redis masters that decide by majority. The operator must make sure that they are independent. */
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
   * Asks all nodes at the same moment, so one timer is enough. A node that hangs costs at most the timeout, and nothing
   * when the other nodes decide without it.
   */
  ask(question: (node: RedisClient) => Promise<boolean>, until: CountUntil): Promise<Tally> {
    return new Promise((resolve) => {
      let [yes, no] = [0, 0];
      const errors: unknown[] = [];
      const close = () => {
        clearTimeout(timer);
        resolve({ yes, no, errors: [...errors] });
      };
      // One turn later, so that answers that arrived while this process was blocked are read before the timeout counts.
      const timer = setTimeout(() => setImmediate(close), this.timeoutMs);
      const closeIfDone = () => {
        const against = no + errors.length;
        const decided = yes >= this.majority || against >= this.majority;
        if (yes + against === this.nodes.length || (decided && until === 'until-decided')) close();
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
