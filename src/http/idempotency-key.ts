import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { InvalidRequest } from '../errors.js';

const KEY = /^[A-Za-z0-9_-]{8,64}$/;

/** The Idempotency-Key header, or undefined where there is none. */
export const IdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | undefined => {
    const given = context.switchToHttp().getRequest<FastifyRequest>().headers['idempotency-key'];
    if (given === undefined) return undefined;
    if (typeof given === 'string' && KEY.test(given)) return given;
    throw new InvalidRequest('Idempotency-Key must be 8 to 64 letters, digits, dashes or underscores.');
  },
);
