import { applyDecorators, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type Receipt } from '../goods/receipts.js';

export const FAMILIES = [
  'unsafe',
  'process',
  'database',
  'redis-stock',
  'redis-lock',
  'fencing',
  'coordination',
  'queue',
  /** Mistakes that only an instance of an experiment can make; see `src/specimens`. */
  'specimen',
] as const;

/** What a strategy says of itself; `GET /strategies` shows it. */
export interface StrategyMetadata {
  /** Its name in the URL. */
  readonly name: string;
  readonly family: (typeof FAMILIES)[number];
  /** Its place in the course, within its family. */
  readonly lesson: number;
  readonly title: string;
  /** Where the stock is counted. */
  readonly stock: 'mysql' | 'redis';
  readonly needs: readonly ('mysql' | 'redis' | 'redlock' | 'etcd' | 'zookeeper')[];
  readonly safe: 'always' | 'while-the-lease-holds' | 'one-process' | 'never';
  /** Faults, by their names in `faults.ts`, under which it sells what is not there or loses what is. */
  readonly breaksUnder: readonly string[];
  /** Those of them that lose stock or an acknowledged order, and do not oversell. */
  readonly losesUnder?: readonly string[];
  /** The lesson, in a sentence. */
  readonly teaches: string;
  /** When to take it, in a sentence; specimens are never to be taken. */
  readonly useWhen?: string;
  /** What it asks for in return, in a sentence. */
  readonly costs?: string;
}

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
