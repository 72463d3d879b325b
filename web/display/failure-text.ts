import { Failure } from '../client/http.js';
import { type Texts } from '../texts/en.js';

/** The error as a sentence in the reader's language, or the server's own sentence if the page has none. */
export function failureText({ errors }: Texts, error: unknown): string {
  if (!(error instanceof Failure)) return error instanceof Error ? error.message : String(error);
  const { kind, path, status, problem } = error;
  if (kind === 'no-answer') return errors.noAnswer;
  if (kind === 'not-understood') return errors.notUnderstood(path);
  if (status === 401) return errors.wrongToken;
  if (status === 429) return errors.tooMany;
  return problem.detail ?? problem.title ?? errors.status(status);
}
