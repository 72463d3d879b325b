import { labConnection } from '../../src/lab/servers.js';
import { type TestShop } from './test-shop.js';

/** Locks the row of a goods, as a slow transaction does: no other transaction can write it until it is released. */
export async function holdRow(shop: TestShop, goodsId: number): Promise<{ letGo(): Promise<void> }> {
  const connection = await labConnection(shop.servers, shop.database);
  await connection.query('START TRANSACTION');
  await connection.query('SELECT id FROM goods WHERE id = ? FOR UPDATE', [goodsId]);
  return {
    letGo: async () => {
      await connection.query('ROLLBACK');
      await connection.end();
    },
  };
}
