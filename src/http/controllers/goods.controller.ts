import { Body, Controller, Get, HttpCode, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type Audit } from '../../contract/audit.js';
import {
  type NewRun,
  type SoldOrdersPage,
  type DeductRequest,
  type ResetRequest,
} from '../../contract/order.js';
import { type SignedReceipt } from '../../contract/receipt.js';
import { type Goods } from '../../stock/goods.entity.js';
import { SoldOrders } from '../../stock/sold-orders.js';
import { Auditor } from '../../use-cases/auditor.js';
import { Catalogue } from '../../use-cases/catalogue.js';
import { Deductions } from '../../use-cases/deductions.js';
import { Resets } from '../../use-cases/resets.js';
import { AdminGuard } from '../admin.guard.js';
import { ClientSignal } from '../client-signal.js';
import { IdempotencyKey } from '../idempotency-key.js';
import { After, DeductBody, GoodsId, ResetBody } from '../schemas.js';

@ApiTags('goods')
@Controller('goods')
export class GoodsController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly deductions: Deductions,
    private readonly resets: Resets,
    private readonly auditor: Auditor,
    private readonly soldOrders: SoldOrders,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Everything on sale' })
  list(): Promise<Goods[]> {
    return this.catalogue.list();
  }

  @Get(':id')
  @ApiOperation({ summary: 'One kind of goods' })
  one(@Param('id', { schema: GoodsId }) id: number): Promise<Goods> {
    return this.catalogue.one(id);
  }

  @Post(':id/deduct/:strategy')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sell, under the protection of the strategy' })
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'The same key sells once' })
  async deduct(
    @Param('id', { schema: GoodsId }) goodsId: number,
    @Param('strategy') strategy: string,
    @Body({ schema: DeductBody }) { quantity }: DeductRequest,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @ClientSignal() signal: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedReceipt> {
    const answer = await this.deductions.deduct({ goodsId, strategy, quantity, idempotencyKey, signal });
    if (answer.replayed) void reply.header('idempotent-replayed', 'true');
    return answer.receipt;
  }

  @Post(':id/reset')
  @HttpCode(200)
  @UseGuards(AdminGuard)
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Start a new run with this much stock' })
  reset(
    @Param('id', { schema: GoodsId }) id: number,
    @Body({ schema: ResetBody }) { inventory, stock }: ResetRequest,
  ): Promise<NewRun> {
    return this.resets.reset(id, inventory, stock);
  }

  @Get(':id/audit')
  @ApiOperation({ summary: 'The numbers of the current run, and the verdict' })
  audit(@Param('id', { schema: GoodsId }) id: number): Promise<Audit> {
    return this.auditor.audit(id);
  }

  @Get(':id/orders')
  @UseGuards(AdminGuard)
  @ApiBearerAuth()
  @ApiQuery({ name: 'after', required: false, description: '`next` of the previous page' })
  @ApiOperation({ summary: 'The ids of all sales of the current run, to compare receipts with' })
  orders(
    @Param('id', { schema: GoodsId }) id: number,
    @Query('after', { schema: After }) after: number,
  ): Promise<SoldOrdersPage> {
    return this.soldOrders.page(id, after);
  }
}
