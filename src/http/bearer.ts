import { createHash, timingSafeEqual } from 'node:crypto';

/** A token that requests carry in their Authorization header. */
export class BearerToken {
  private readonly expected: Buffer;

  constructor(token: string) {
    this.expected = digest(token);
  }

  isIn(authorization: string | undefined): boolean {
    const given = bearerIn(authorization);
    // Digests have one length, so the comparison takes the same time for every token.
    return given !== undefined && timingSafeEqual(digest(given), this.expected);
  }
}

/** The token in the header; undefined when there is none. */
export function bearerIn(authorization: string | undefined): string | undefined {
  return /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
