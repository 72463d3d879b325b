import { Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { Unauthorized } from '../errors.js';
import { CancelTokens } from '../use-cases/cancel-tokens.js';
import { AdminToken } from './admin-token.js';
import { bearerIn } from './bearer.js';

/** Only requests with the secret of the order's receipt, or with the admin token, may see and cancel the order. */
@Injectable()
export class OrderAccess {
  constructor(
    private readonly tokens: CancelTokens,
    private readonly admin: AdminToken,
  ) {}

  /**
   * Throws unless the order's token is given, or the request's Authorization has it or the admin token. It does not look
   * the order up, so a client without a token cannot find out which orders exist.
   */
  require(orderId: number, request: FastifyRequest, given?: string): void {
    for (const token of [given, bearerIn(request.headers.authorization)]) {
      if (token !== undefined && this.tokens.isValid(orderId, token)) return;
    }
    if (this.admin.isIn(request)) return;
    throw new Unauthorized(
      'This call needs the cancelToken of the receipt, or the header Authorization: Bearer <ADMIN_TOKEN>.',
    );
  }
}
