import { Module } from '@nestjs/common';
import { Ledger } from './ledger.js';
import { OrderNumbers } from './order-numbers.js';
import { Receipts } from './receipts.js';
import { Segments } from './segments.js';
import { Stock } from './stock.js';

/** What the strategies build on. */
@Module({
  providers: [Ledger, OrderNumbers, Receipts, Segments, Stock],
  exports: [Ledger, OrderNumbers, Receipts, Segments, Stock],
})
export class StockModule {}
