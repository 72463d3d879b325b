import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { RedisConnection } from '../redis/redis.module.js';
import { Gate } from './gate.js';
import { ALL_GATES, gateKeys } from './gate-keys.js';

const LOOKS_PER_PATIENCE = 5;

/**
 * Finds what was taken from a gate, or was to be given back to it, by somebody who died on the way: a record that
 * stays, also where its gate is gone. The gate is then counted anew from MySQL, which needs no clock but its own and
 * gives nothing back twice, however many instances do it.
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Reconciler');
  /** When this instance first saw a record: no clock but its own has a say. */
  private firstSeen = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly redis: RedisConnection,
    private readonly gate: Gate,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.redis.configured) return;
    this.timer = setInterval(() => {
      this.looking ??= this.look()
        .catch((error: unknown) => {
          this.log.warn((error as Error).message);
        })
        .finally(() => (this.looking = undefined));
    }, this.settings.gatePatienceMs / LOOKS_PER_PATIENCE);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    if (!this.redis.up) return;
    const seen = new Map<string, number>();
    const now = performance.now();
    for (const goodsId of await this.redis.run((client) => client.smembers(ALL_GATES))) {
      const { gateId, records } = await this.records(Number(goodsId));
      const since = records.map((record) => {
        const name = `${gateId ?? 'no gate'} ${record}`;
        const first = this.firstSeen.get(name) ?? now;
        seen.set(name, first);
        return first;
      });
      const abandoned = since.filter((first) => now - first > this.settings.gatePatienceMs).length;
      if (abandoned === 0) continue;
      this.log.warn(`goods ${goodsId}: ${abandoned} left the gate and did not arrive; counting anew`);
      await this.gate.rebuild(Number(goodsId), gateId === null ? 'missing' : { id: gateId });
    }
    this.firstSeen = seen;
  }

  private async records(goodsId: number): Promise<{ gateId: string | null; records: string[] }> {
    const { gate, reservations, returns } = gateKeys(goodsId);
    const [gateId, leaving, coming] = await this.redis.run((client) =>
      Promise.all([client.hget(gate, 'id'), client.hkeys(reservations), client.hkeys(returns)]),
    );
    return { gateId, records: [...leaving, ...coming.map((number) => `${number} back`)] };
  }
}
