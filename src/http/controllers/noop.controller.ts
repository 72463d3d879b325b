import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { type DeductRequest } from '../../contract/order.js';
import { type SignedReceipt } from '../../contract/receipt.js';
import { DeductBody } from '../schemas.js';

/** What HTTP alone costs: the same request and the same answer as a sale, without a store behind it. */
@ApiTags('measuring')
@Controller('noop')
export class NoopController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'Sells nothing: validation and a receipt only, to compare measurements with' })
  noop(@Body({ schema: DeductBody }) { quantity }: DeductRequest): SignedReceipt {
    const { instance } = this.settings;
    return {
      orderId: 0,
      goodsId: 0,
      strategy: 'noop',
      quantity,
      remaining: 0,
      instance,
      attempts: 1,
      waitedMs: 0,
      cancelToken: '',
    };
  }
}
