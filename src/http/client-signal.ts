import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyReply } from 'fastify';

/** An AbortSignal that is aborted when the client hangs up before it is answered. */
export const ClientSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const reply = context.switchToHttp().getResponse<FastifyReply>();
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
});
