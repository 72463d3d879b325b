import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { arm } from './checkpoint.js';
import { DirectorLink } from './director-link.js';
import { observeRedisCommands } from './redis-commands.js';

/** Gives the experiment at `address` its hold on this instance. Settings refuse it in production. */
export async function armForExperiments(app: NestFastifyApplication, address: string): Promise<void> {
  const link = await DirectorLink.to(address);
  link.watch(app.getHttpAdapter().getInstance());
  observeRedisCommands();
  arm(link);
}
