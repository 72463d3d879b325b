import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Goods } from './goods.entity.js';
import { Ledger } from './ledger.js';
import { OrderNumbers } from './order-numbers.js';
import { Receipts } from './receipts.js';
import { Refusals } from './refusals.js';
import { Segments } from './segments.js';
import { SoldOrders } from './sold-orders.js';
import { Stock } from './stock.js';

const PROVIDERS = [Ledger, OrderNumbers, Receipts, Refusals, Segments, SoldOrders, Stock];

/** The stock in MySQL, and the ledger of its sales. */
@Module({ imports: [TypeOrmModule.forFeature([Goods])], providers: PROVIDERS, exports: PROVIDERS })
export class StockModule {}
