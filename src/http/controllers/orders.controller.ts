import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import {
  type Cancellation,
  type OrderStatus,
  type BasketRequest,
  type CancelRequest,
} from '../../contract/order.js';
import { type BasketReceipt } from '../../contract/receipt.js';
import { Cancellations } from '../../use-cases/cancellations.js';
import { Deductions } from '../../use-cases/deductions.js';
import { OrderLookup, statusOf } from '../../use-cases/order-lookup.js';
import { ClientSignal } from '../client-signal.js';
import { IdempotencyKey } from '../idempotency-key.js';
import { OrderAccess } from '../order-access.js';
import { BasketBody, CancelBody, OrderId } from '../schemas.js';

@ApiTags('orders')
@Controller('orders')
export class OrdersController {
  constructor(
    private readonly deductions: Deductions,
    private readonly cancellations: Cancellations,
    private readonly orders: OrderLookup,
    private readonly access: OrderAccess,
  ) {}

  @Post(':strategy')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sell a basket, all of it or nothing; each line is an order of its own' })
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'The same key sells once' })
  async basket(
    @Param('strategy') strategy: string,
    @Body({ schema: BasketBody }) body: BasketRequest,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @ClientSignal() signal: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BasketReceipt> {
    const items = body.items.toSorted((a, b) => a.goodsId - b.goodsId);
    const answer = await this.deductions.deductAll({ strategy, items, idempotencyKey, signal });
    if (answer.replayed) void reply.header('idempotent-replayed', 'true');
    return { orders: answer.receipt };
  }

  @Get(':orderId')
  @ApiBearerAuth()
  @ApiQuery({
    name: 'cancelToken',
    required: false,
    description: 'From the receipt; may also be sent as a bearer token',
  })
  @ApiOperation({
    summary: 'The state of an order: sold, cancelled, in flight, or refused after it was accepted',
  })
  async one(
    @Param('orderId', { schema: OrderId }) orderId: number,
    @Query({ schema: CancelBody }) { cancelToken }: CancelRequest,
    @Req() request: FastifyRequest,
  ): Promise<OrderStatus> {
    this.access.require(orderId, request, cancelToken);
    return statusOf(orderId, await this.orders.find(orderId));
  }

  @Post(':orderId/cancel')
  @HttpCode(200)
  @ApiBearerAuth()
  @ApiOperation({
    summary:
      'Cancel an order and return its stock, once; needs the cancelToken of the receipt, or the admin token',
  })
  async cancel(
    @Param('orderId', { schema: OrderId }) orderId: number,
    @Body({ schema: CancelBody }) { cancelToken }: CancelRequest,
    @Req() request: FastifyRequest,
  ): Promise<Cancellation> {
    this.access.require(orderId, request, cancelToken);
    return this.cancellations.cancel(orderId);
  }
}
