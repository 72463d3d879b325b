import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Engines } from './engines.js';
import { Shutdown } from './shutdown.js';

interface Health {
  readonly status: 'ok' | 'unavailable' | 'shutting-down';
  readonly instance: string;
  readonly engines?: Readonly<Record<string, 'up' | 'down' | 'not-configured'>>;
}

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
        mysql: up.mysql ? 'up' : 'down',
        redis: redisWanted ? (up.redis ? 'up' : 'down') : 'not-configured',
      },
    };
  }
}
