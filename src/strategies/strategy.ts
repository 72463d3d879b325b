import { applyDecorators, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type Receipt } from '../contract/receipt.js';
import { type StrategyMetadata } from '../contract/strategy.js';

export interface DeductOrder {
  readonly goodsId: number;
  readonly quantity: number;
  readonly strategy: string;
  readonly idempotencyKey: string | undefined;
  /** What the key stands for: a hash of the strategy and of all lines of the request. Undefined without a key. */
  readonly requestHash?: string | undefined;
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal;
}

/** One sale that stands. That the goods are sold out is said by throwing `SoldOut`: it rolls back. */
export interface Deduction {
  readonly orderId: number;
  readonly goodsId: number;
  readonly quantity: number;
  readonly remaining: number;
  readonly attempts: number;
  readonly waitedMs: number;
}

export interface BasketOrder extends Omit<DeductOrder, 'goodsId' | 'quantity'> {
  /** Different goods, in ascending order of id: everybody locks in the same order, so nobody deadlocks. */
  readonly items: readonly { readonly goodsId: number; readonly quantity: number }[];
}

export interface DeductStrategy {
  deduct(order: DeductOrder): Promise<Deduction>;
  /** Several goods in one order, all or nothing. Strategies that have it are listed with `baskets: true`. */
  deductAll?(basket: BasketOrder): Promise<Deduction[]>;
  /** Where a sale stands before the ledger has it: what an order with the same key was told. */
  accepted?(order: DeductOrder): Promise<Receipt | undefined>;
}

/** One item as a line of a basket: an order like any other. */
export function lineOf(basket: BasketOrder, item: BasketOrder['items'][number]): DeductOrder {
  return { ...basket, ...item };
}

export const StrategyMark = DiscoveryService.createDecorator<StrategyMetadata>();

/** Makes a class a strategy. Put its file in a folder of `src/strategies`: it is found from there. */
export function Strategy(metadata: StrategyMetadata): ClassDecorator {
  return applyDecorators(Injectable(), StrategyMark(metadata));
}
