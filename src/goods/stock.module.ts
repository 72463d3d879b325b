import { Module } from '@nestjs/common';
import { Ledger } from './ledger.js';
import { Stock } from './stock.js';

/** What the strategies build on. */
@Module({ providers: [Ledger, Stock], exports: [Ledger, Stock] })
export class StockModule {}
