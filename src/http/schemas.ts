import { z } from 'zod';
import {
  type BasketRequest,
  type CancelRequest,
  type DeductRequest,
  type ResetRequest,
} from '../contract/order.js';

const MAX_INT = 2_147_483_647;

/** A path parameter is text; only plain digits are a number. */
const id = (max: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/, 'An id in the path must be a positive whole number.')
    .transform(Number)
    .refine((value) => value <= max, 'The id in the path is too large.');

export const GoodsId = id(MAX_INT);
export const OrderId = id(Number.MAX_SAFE_INTEGER);

/** Where a page begins: after this entry, or at the start. */
export const After = OrderId.default(0);

/** Nothing is converted: "1", true and 1.5 are not quantities. A negative quantity would create stock. */
const quantity = z.int().min(1).max(100);

export const DeductBody = z.strictObject({ quantity }) satisfies z.ZodType<DeductRequest>;

export const BasketBody = z.strictObject({
  items: z
    .array(z.strictObject({ goodsId: z.int().min(1).max(MAX_INT), quantity }))
    .min(1)
    .max(20)
    .refine(
      (items) => new Set(items.map(({ goodsId }) => goodsId)).size === items.length,
      'name each goods once',
    ),
}) satisfies z.ZodType<BasketRequest>;

/** The order's token or the admin token may be in the Authorization header instead. */
export const CancelBody = z.strictObject({
  cancelToken: z.string().max(100).optional(),
}) satisfies z.ZodType<CancelRequest>;

/** `stock`: the store that the run begins in. The first sale by a strategy of the other kind moves it. */
export const ResetBody = z.strictObject({
  inventory: z.int().min(0).max(1_000_000),
  stock: z.enum(['mysql', 'redis']).default('mysql'),
}) satisfies z.ZodType<ResetRequest>;
