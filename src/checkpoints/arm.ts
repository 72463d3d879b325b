import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { arm } from './checkpoint.js';
import { CheckpointClient } from './checkpoint-client.js';
import { observeRedisCommands, readAllAnswers } from './redis-commands.js';

/**
 * Connects this instance to the checkpoint server at `address`. The settings reject that in production. `caughtUp` resolves
 * when the clients of etcd and ZooKeeper have handled what their servers have sent so far.
 */
export async function armForExperiments(
  app: NestFastifyApplication,
  address: string,
  caughtUp: () => Promise<void>,
): Promise<void> {
  const client = await CheckpointClient.to(address, async () => {
    await Promise.all([readAllAnswers(), caughtUp()]);
  });
  client.watch(app.getHttpAdapter().getInstance());
  observeRedisCommands();
  arm(client);
}
