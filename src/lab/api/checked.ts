import { type z } from 'zod';
import { invalid } from './refusal.js';

/** The body, if it matches the schema; otherwise 400 with everything that is wrong. */
export function checked<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues
      .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
      .join('; '),
  );
}
