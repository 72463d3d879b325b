import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';

/**
 * The secret of an order, which its receipt carries: a client that has it may cancel the order. It is computed from the
 * order's id, so every instance computes the same one, a replayed receipt has the same one, and no row stores it. See
 * docs/adr/0023.
 */
@Injectable()
export class CancelTokens implements OnModuleInit {
  private key: Buffer = Buffer.alloc(0);

  constructor(private readonly database: Database) {}

  async onModuleInit(): Promise<void> {
    const secret = await this.database.connection((sql) =>
      sql.one<{ value: Buffer }>(`SELECT value FROM secrets WHERE name = 'cancel-token'`),
    );
    if (!secret) throw new Error('the database has no secret for cancel tokens');
    this.key = secret.value;
  }

  tokenOf(orderId: number): string {
    return createHmac('sha256', this.key).update(String(orderId)).digest('base64url');
  }

  /** Compares the text, not the bytes that it decodes to: the decoder skips characters that are not base64url. */
  isValid(orderId: number, token: string): boolean {
    const given = Buffer.from(token);
    const expected = Buffer.from(this.tokenOf(orderId));
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
