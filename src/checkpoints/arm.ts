import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { arm } from './checkpoint.js';
import { CheckpointClient } from './checkpoint-client.js';
import { observeRedisCommands } from './redis-commands.js';

/** Connects this instance to the checkpoint server at `address`. The settings reject that in production. */
export async function armForExperiments(app: NestFastifyApplication, address: string): Promise<void> {
  const client = await CheckpointClient.to(address);
  client.watch(app.getHttpAdapter().getInstance());
  observeRedisCommands();
  arm(client);
}
