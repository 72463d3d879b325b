import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { LockstockError } from '../errors.js';
import { BearerToken } from './bearer.js';

class Unauthorized extends LockstockError {
  readonly type = 'unauthorized';
  constructor() {
    super('This call needs the header Authorization: Bearer <ADMIN_TOKEN>.');
  }
}

/** Lets a request pass that carries the admin token. Without a token configured nobody passes. */
@Injectable()
export class AdminGuard implements CanActivate {
  private readonly token: BearerToken | undefined;

  constructor(@Inject(SETTINGS) { adminToken }: Settings) {
    this.token = adminToken === undefined ? undefined : new BearerToken(adminToken);
  }

  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (this.token?.isIn(authorization)) return true;
    throw new Unauthorized();
  }
}
