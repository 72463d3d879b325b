import fc from 'fast-check';
import { splitEvenly } from '../../src/stock/split-evenly.js';

test('stock is dealt out whole, and no segment gets two more than another', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 64 }), (stock, count) => {
      const shares = splitEvenly(stock, count);
      expect(shares).toHaveLength(count);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(stock);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }),
  );
});
