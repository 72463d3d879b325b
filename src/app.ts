import { StandardSchemaValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { AppModule } from './app.module.js';
import { type Settings } from './config/settings.js';
import { InvalidRequest } from './errors.js';
import { Shutdown } from './health/shutdown.js';
import { AllowedHosts } from './http/allowed-hosts.js';
import { AllowedMethods } from './http/allowed-methods.js';
import { answerClientError, MAX_HEADER_BYTES } from './http/client-errors.js';
import { connectionLimit, Connections } from './http/connections.js';
import { refuseForeignRequests } from './http/foreign-requests.js';
import { logRequests, PinoLogger, requestId } from './http/logging.js';
import { refuseSurplus, refuseWhenOverloaded } from './http/overload.js';
import { servePage } from './http/page.js';
import { ProblemFilter } from './http/problem.filter.js';
import { sendProblem, statusProblem } from './http/problem.js';
import { sendSecurityHeaders } from './http/security-headers.js';
import { LogOutput } from './log-output.js';

/** Builds one instance, ready to listen. */
export async function createApp(settings: Settings): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    logger: { level: settings.logLevel, base: { instance: settings.instance }, stream: new LogOutput() },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    // A logger per request costs more than the line that it would write: the line names the request itself.
    childLoggerFactory: (parent: FastifyBaseLogger) => parent,
    return503OnClosing: false,
    bodyLimit: settings.bodyLimit,
    trustProxy: [...settings.trustedProxies],
    // A request without a Host gets its answer from refuseForeignRequests.
    http: { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: 100 },
    // A URL that cannot be read never reaches a filter.
    frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
      sendProblem(reply, statusProblem(error.statusCode ?? 400, 'The URL is not valid.'));
    },
  });
  const server = adapter.getInstance<FastifyInstance>();
  const methods = new AllowedMethods();
  methods.watch(server);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.for(settings), adapter, {
    logger: new PinoLogger(server.log),
    abortOnError: false,
  });
  sendSecurityHeaders(server);
  await refuseWhenOverloaded(server, settings.maxEventLoopDelayMs);
  logRequests(server, settings.instance);
  const connections = new Connections(server.server, connectionLimit(settings.databasePool));
  refuseSurplus(server, connections);
  refuseForeignRequests(server, new AllowedHosts(settings.allowedHosts));
  app.get(Shutdown).watch(server, connections);
  await servePage(server);
  app.useGlobalFilters(new ProblemFilter(methods));
  app.useGlobalPipes(
    new StandardSchemaValidationPipe({
      exceptionFactory: (issues) =>
        new InvalidRequest(
          issues
            .map(({ path, message }) =>
              path?.length ? `${path.map(String).join('.')}: ${message}` : message,
            )
            .join('; '),
        ),
    }),
  );
  app.enableShutdownHooks(undefined, { useProcessExit: true });
  describeApi(app);
  return app;
}

function describeApi(app: NestFastifyApplication): void {
  const description = new DocumentBuilder()
    .setTitle('Lockstock')
    .setDescription('Sell the same stock with every locking strategy, and audit the result.')
    .setVersion('0.1.0')
    .addBearerAuth()
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, description));
}
