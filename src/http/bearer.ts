import { createHash, timingSafeEqual } from 'node:crypto';

/** A token that requests carry in their Authorization header. */
export class BearerToken {
  private readonly expected: Buffer;

  constructor(token: string) {
    this.expected = digest(token);
  }

  isIn(authorization: string | undefined): boolean {
    const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
    // Digests have one length, so the comparison takes the same time whatever was given.
    return given !== undefined && timingSafeEqual(digest(given), this.expected);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
