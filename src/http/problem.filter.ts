import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { LockstockError } from '../errors.js';
import { type AllowedMethods } from './allowed-methods.js';
import { problemOf, sendProblem, statusProblem } from './problem.js';

/** The one place where errors become HTTP. An unknown error is logged in full and answered with a bare 500. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger('Problem');

  constructor(private readonly methods: AllowedMethods) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    // The client is gone, or the answer has begun: no problem document can be sent.
    if (reply.sent || reply.raw.destroyed) return;
    const known = asKnownProblem(error);
    if (known) {
      sendProblem(reply, ...known);
      return;
    }
    const status = statusOf(error);
    if (status === 404 && this.wrongMethod(http.getRequest<FastifyRequest>(), reply)) return;
    if (status !== undefined && status < 500) {
      sendProblem(reply, statusProblem(status, publicMessage(error)));
      return;
    }
    const { id } = http.getRequest<FastifyRequest>();
    this.log.error(
      `request ${id} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    sendProblem(reply, statusProblem(status ?? 500));
  }

  private wrongMethod({ method, url }: FastifyRequest, reply: FastifyReply): boolean {
    const allowed = this.methods.of(url);
    if (allowed.length === 0 || allowed.includes(method)) return false;
    void reply.header('allow', allowed.join(', '));
    sendProblem(reply, statusProblem(405, `${method} is not allowed here.`));
    return true;
  }
}

function asKnownProblem(error: unknown): ReturnType<typeof problemOf> {
  if (error instanceof LockstockError) {
    const [problem, retryAfter] = problemOf(error.type, error.message, error.members) ?? [];
    return problem && [problem, error.retryAfter ?? retryAfter];
  }
  if (isOutOfFiles(error)) {
    return problemOf('busy', 'This instance has no file descriptor left. Nothing was sold. Retry after 1 s.');
  }
  // The lock library's errors have a type as well, but are not of this project's classes.
  if (error instanceof Error && 'type' in error && typeof error.type === 'string') {
    return problemOf(error.type, error.message);
  }
  return undefined;
}

/** A connection or a file that could not be opened: nothing was sent. */
function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number')
    return error.statusCode;
  return undefined;
}

/** Fastify's and Nest's messages for a bad request describe the request only, so clients may see them. */
function publicMessage(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}
