import { applyDecorators, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type Receipt } from '../contract/receipt.js';
import { type StrategyMetadata } from '../contract/strategy.js';
import { type BasketOrder, type Deduction, type DeductOrder } from '../stock/order.js';

export { type BasketOrder, type Deduction, type DeductOrder, lineOf } from '../stock/order.js';

/** What every strategy does: sell one kind of goods, once. */
export interface DeductStrategy {
  deduct(order: DeductOrder): Promise<Deduction>;
}

/** A strategy that also sells several goods in one order, all or nothing. It is listed with `baskets: true`. */
export interface BasketStrategy extends DeductStrategy {
  deductAll(basket: BasketOrder): Promise<Deduction[]>;
}

/** A strategy that answers before the ledger has the order. It can repeat the receipt of an order in flight. */
export interface EarlyAnswerStrategy extends DeductStrategy {
  /** The receipt of the order with the same key that is not in the ledger yet, if there is one. */
  receiptInFlight(order: DeductOrder): Promise<Receipt | undefined>;
}

export function sellsBaskets(strategy: DeductStrategy): strategy is BasketStrategy {
  return 'deductAll' in strategy;
}

export function answersEarly(strategy: DeductStrategy): strategy is EarlyAnswerStrategy {
  return 'receiptInFlight' in strategy;
}

export const StrategyMark = DiscoveryService.createDecorator<StrategyMetadata>();

/** Makes a class a strategy. The registry finds it when its file is in the folder of its family. */
export function Strategy(metadata: StrategyMetadata): ClassDecorator {
  return applyDecorators(Injectable(), StrategyMark(metadata));
}
