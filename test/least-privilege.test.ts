import { readFileSync } from 'node:fs';
import { TestShop } from './support/test-shop.js';

let shop: TestShop;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 2 });
});
afterAll(() => shop.close());

test("an instance of the lab has neither the owner's nor the lab's password, and serves on a migrated schema", async () => {
  const { ownerPassword, labPassword } = shop.servers.secrets;
  for (const { pid, name } of shop.shop.instances) {
    const environment = readFileSync(`/proc/${pid ?? 0}/environ`, 'utf8');
    expect(environment).toContain(`INSTANCE=${name}`);
    expect(environment).not.toContain('MIGRATIONS_URL');
    expect(environment).not.toContain(ownerPassword);
    expect(environment).not.toContain(labPassword);
  }
  expect(await shop.get<unknown[]>('/goods')).not.toHaveLength(0);
});
