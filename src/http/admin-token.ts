import { Inject, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { LockstockError } from '../errors.js';
import { BearerToken } from './bearer.js';
import { WrongTokens } from './wrong-tokens.js';

class TooManyWrongTokens extends LockstockError {
  readonly type = 'too-many-requests';
  constructor(override readonly retryAfter: number) {
    super(`Too many wrong tokens came from this address. Try again after ${retryAfter} s.`);
  }
}

/** Checks the admin token, and slows down clients that guess it. When no token is configured, every admin call is refused. */
@Injectable()
export class AdminToken {
  private readonly token: BearerToken | undefined;
  private readonly wrongTokens = new WrongTokens();

  constructor(@Inject(SETTINGS) { adminToken }: Settings) {
    this.token = adminToken === undefined ? undefined : new BearerToken(adminToken);
  }

  isIn({ headers: { authorization }, ip }: FastifyRequest): boolean {
    if (authorization === undefined) return false;
    const wait = this.wrongTokens.waitOf(ip);
    if (wait > 0) throw new TooManyWrongTokens(wait);
    const right = this.token?.isIn(authorization) ?? false;
    if (right) this.wrongTokens.right(ip);
    else this.wrongTokens.wrong(ip);
    return right;
  }
}
