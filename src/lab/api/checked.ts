import { type z } from 'zod';
import { invalid } from './refusal.js';

/** What a client sent, if it is what the schema says; else 400 with everything that is wrong. */
export function checked<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues
      .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
      .join('; '),
  );
}
