import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { Unauthorized } from '../errors.js';
import { AdminToken } from './admin-token.js';

/** Refuses requests without the admin token. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly token: AdminToken) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.token.isIn(context.switchToHttp().getRequest<FastifyRequest>())) return true;
    throw new Unauthorized('This call needs the header Authorization: Bearer <ADMIN_TOKEN>.');
  }
}
