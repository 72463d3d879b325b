/**
 * The least that Nest and Fastify need to answer the no-op POST: no validation, headers, limits, logs or metrics. The
 * difference between this and the service is what the service's request path costs.
 */
import 'reflect-metadata';
import { Body, Controller, Get, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

const { PORT = '0', HOST = '127.0.0.1', INSTANCE = 'bare' } = process.env;

@Controller()
class Answers {
  @Get('health/ready')
  ready(): object {
    return {};
  }

  @Post('noop')
  @HttpCode(200)
  noop(@Body() { quantity }: { readonly quantity: number }): object {
    return {
      ...{ orderId: 0, goodsId: 0, strategy: 'noop', quantity, remaining: 0 },
      ...{ instance: INSTANCE, attempts: 1, waitedMs: 0, cancelToken: '' },
    };
  }
}

@Module({ controllers: [Answers] })
class BareModule {}

const app = await NestFactory.create<NestFastifyApplication>(BareModule, new FastifyAdapter(), {
  logger: false,
});
app.enableShutdownHooks();
await app.listen(Number(PORT), HOST);
