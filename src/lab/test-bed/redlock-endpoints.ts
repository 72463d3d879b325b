import { TcpProxy } from '../tcp-proxy.js';
import { freePorts } from '../ports.js';
import { type Node } from '../topologies/node.js';
import { redisNode, type TopologyOptions } from '../topologies/topology.js';

const MASTERS = 5;

/** The addresses of the five Redlock masters for the instances. The servers behind them can be replaced. */
export class RedlockEndpoints {
  private readonly takenOver: TcpProxy[] = [];
  private masters: readonly Node[] = [];
  private started: Promise<unknown> | undefined;

  private constructor(
    private readonly options: TopologyOptions,
    readonly ports: readonly number[],
  ) {}

  /** Chooses the addresses. The masters start with the first experiment that needs them. */
  static async choose(options: TopologyOptions): Promise<RedlockEndpoints> {
    return new RedlockEndpoints(options, await freePorts(MASTERS));
  }

  /** Starts the masters, unless they were started before. */
  async ensure(): Promise<void> {
    this.started ??= this.fresh();
    await this.started;
  }

  /** Restarts five empty masters. The third one may have its own clock. */
  async fresh(clock?: NodeJS.ProcessEnv): Promise<readonly Node[]> {
    await this.close();
    this.masters = await startMasters(this.options, this.ports, clock);
    return this.masters;
  }

  /** From now on the address of the dead master leads to its replica. */
  async takeOver(dead: Node, replica: Node): Promise<void> {
    this.takenOver.push(await TcpProxy.to(replica.port, dead.port));
  }

  async close(): Promise<void> {
    await Promise.all(this.takenOver.splice(0).map((wire) => wire.close()));
    await Promise.all(this.masters.map((node) => node.stop()));
  }
}

async function startMasters(
  options: TopologyOptions,
  ports: readonly number[],
  clockOfThird?: NodeJS.ProcessEnv,
): Promise<readonly Node[]> {
  const masters = ports.map((port, index) =>
    redisNode(
      options,
      `redlock-${index + 1}`,
      port,
      ['repl-diskless-sync no'],
      index === 2 ? clockOfThird : undefined,
    ),
  );
  await Promise.all(masters.map((node) => node.start()));
  return masters;
}
