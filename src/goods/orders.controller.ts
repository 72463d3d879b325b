import { Body, Controller, Get, HttpCode, Param, Post, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { AdminGuard } from '../http/admin.guard.js';
import { ClientSignal } from '../http/client-signal.js';
import { IdempotencyKey } from '../http/idempotency-key.js';
import { BasketBody, OrderId } from '../http/schemas.js';
import { type Cancellation, Cancellations } from './cancellations.js';
import { Deductions } from './deductions.js';
import { type Receipt } from './receipts.js';
import { type OrderStatus, Sales, statusOf } from './sales.js';

@ApiTags('orders')
@Controller('orders')
export class OrdersController {
  constructor(
    private readonly deductions: Deductions,
    private readonly cancellations: Cancellations,
    private readonly sales: Sales,
  ) {}

  @Post(':strategy')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sell a basket, all of it or nothing; each line is an order of its own' })
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'The same key sells once' })
  async basket(
    @Param('strategy') strategy: string,
    @Body({ schema: BasketBody }) body: BasketBody,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @ClientSignal() signal: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ orders: Receipt[] }> {
    const items = body.items.toSorted((a, b) => a.goodsId - b.goodsId);
    const answer = await this.deductions.deductAll({ strategy, items, idempotencyKey, signal });
    if (answer.replayed) void reply.header('idempotent-replayed', 'true');
    return { orders: answer.receipt };
  }

  @Get(':orderId')
  @UseGuards(AdminGuard)
  @ApiBearerAuth()
  @ApiOperation({
    summary: 'What became of an order: sold, cancelled, in flight, or refused after it was accepted',
  })
  async one(@Param('orderId', { schema: OrderId }) orderId: number): Promise<OrderStatus> {
    return statusOf(orderId, await this.sales.find(orderId));
  }

  @Post(':orderId/cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Give the stock of a sale back, once' })
  cancel(@Param('orderId', { schema: OrderId }) orderId: number): Promise<Cancellation> {
    return this.cancellations.cancel(orderId);
  }
}
