import { Module } from '@nestjs/common';
import { Ledger } from './ledger.js';
import { OrderNumbers } from './order-numbers.js';
import { Segments } from './segments.js';
import { Stock } from './stock.js';

/** What the strategies build on. */
@Module({
  providers: [Ledger, OrderNumbers, Segments, Stock],
  exports: [Ledger, OrderNumbers, Segments, Stock],
})
export class StockModule {}
