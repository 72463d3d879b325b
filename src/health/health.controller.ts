import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { type EngineState, type Health } from '../contract/health.js';
import { Engines } from './engines.js';
import { Shutdown } from './shutdown.js';

@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly engines: Engines,
    private readonly shutdown: Shutdown,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('live')
  @ApiOperation({ summary: 'The process runs and answers' })
  live(): Health {
    return { status: 'ok', instance: this.settings.instance };
  }

  @Get('ready')
  @ApiOperation({ summary: 'The database answers, and so does Redis where it is configured' })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Health> {
    const { instance } = this.settings;
    if (this.shutdown.begun) {
      void reply.status(HttpStatus.SERVICE_UNAVAILABLE);
      return { status: 'shutting-down', instance };
    }
    const up = await this.engines.up();
    const redisWanted = this.engines.redis.configured;
    const ok = up.mysql && (up.redis || !redisWanted);
    if (!ok) void reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return {
      status: ok ? 'ok' : 'unavailable',
      instance,
      engines: {
        mysql: state(up.mysql),
        redis: redisWanted ? state(up.redis) : 'not-configured',
        ...this.redlock(),
      },
    };
  }

  /** The majority and each master. Only one strategy needs them, so the instance is ready without them. */
  private redlock(): Record<string, EngineState> {
    const { configured, up, each } = this.engines.redlock;
    if (!configured) return { redlock: 'not-configured' };
    const masters = each.map((master, index) => [`redlock-${index + 1}`, state(master)] as const);
    return { redlock: state(up), ...Object.fromEntries(masters) };
  }
}

function state(up: boolean): EngineState {
  return up ? 'up' : 'down';
}
