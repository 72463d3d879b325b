import fc from 'fast-check';
import { splitEvenly } from '../../src/stock/split-evenly.js';

test('the whole stock is distributed, and no segment gets two units more than another', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 64 }), (stock, count) => {
      const shares = splitEvenly(stock, count);
      expect(shares).toHaveLength(count);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(stock);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }),
  );
});
