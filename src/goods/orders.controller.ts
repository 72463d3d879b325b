import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { ClientSignal } from '../http/client-signal.js';
import { IdempotencyKey } from '../http/idempotency-key.js';
import { BasketBody, CancelBody, OrderId } from '../http/schemas.js';
import { type Cancellation, Cancellations } from './cancellations.js';
import { Deductions } from './deductions.js';
import { OrderAccess } from './order-access.js';
import { type SignedReceipt } from './receipts.js';

@ApiTags('orders')
@Controller('orders')
export class OrdersController {
  constructor(
    private readonly deductions: Deductions,
    private readonly cancellations: Cancellations,
    private readonly access: OrderAccess,
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
  ): Promise<{ orders: SignedReceipt[] }> {
    const items = body.items.toSorted((a, b) => a.goodsId - b.goodsId);
    const answer = await this.deductions.deductAll({ strategy, items, idempotencyKey, signal });
    if (answer.replayed) void reply.header('idempotent-replayed', 'true');
    return { orders: answer.receipt };
  }

  @Post(':orderId/cancel')
  @HttpCode(200)
  @ApiBearerAuth()
  @ApiOperation({
    summary: 'Give the stock of a sale back, once; needs the cancelToken of the receipt, or the admin token',
  })
  async cancel(
    @Param('orderId', { schema: OrderId }) orderId: number,
    @Body({ schema: CancelBody }) { cancelToken }: CancelBody,
    @Req() request: FastifyRequest,
  ): Promise<Cancellation> {
    this.access.require(orderId, request, cancelToken);
    return this.cancellations.cancel(orderId);
  }
}
