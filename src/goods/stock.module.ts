import { Module } from '@nestjs/common';
import { Ledger } from './ledger.js';
import { OrderNumbers } from './order-numbers.js';
import { Stock } from './stock.js';

/** What the strategies build on. */
@Module({ providers: [Ledger, OrderNumbers, Stock], exports: [Ledger, OrderNumbers, Stock] })
export class StockModule {}
