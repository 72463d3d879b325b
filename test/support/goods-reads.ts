import { type TestShop } from './test-shop.js';

/** How often the instances have read single goods from the database. */
export async function databaseReads({ shop }: TestShop): Promise<number> {
  const pages = await Promise.all(
    shop.instanceUrls.map(async (url) => (await fetch(`${url}/metrics`)).text()),
  );
  return pages
    .map((text) => Number(/goods_reads_total\{source="database"\} (\d+)/.exec(text)?.[1] ?? 0))
    .reduce((sum, count) => sum + count, 0);
}
