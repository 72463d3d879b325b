import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { LockstockError } from '../errors.js';

class Unauthorized extends LockstockError {
  readonly type = 'unauthorized';
  constructor() {
    super('This call needs the header Authorization: Bearer <ADMIN_TOKEN>.');
  }
}

/** Lets a request pass that carries the admin token. Without a token configured nobody passes. */
@Injectable()
export class AdminGuard implements CanActivate {
  private readonly expected: Buffer | undefined;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.expected = settings.adminToken === undefined ? undefined : digest(settings.adminToken);
  }

  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    const given = /^Bearer (.+)$/i.exec(authorization)?.[1];
    // Digests have one length, so the comparison takes the same time whatever was given.
    if (given !== undefined && this.expected && timingSafeEqual(digest(given), this.expected)) return true;
    throw new Unauthorized();
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
