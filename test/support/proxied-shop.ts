import { type Connection } from 'mysql2/promise';
import { labConnection } from '../../src/lab/servers.js';
import { TcpProxy } from '../../src/lab/tcp-proxy.js';
import { servers, TestShop, type TestShopOptions } from './test-shop.js';

/** A shop whose connections to the database go through a proxy, and a connection of the test that does not. */
export interface ProxiedShop {
  readonly shop: TestShop;
  readonly wire: TcpProxy;
  readonly mysql: Connection;
  readonly close: () => Promise<void>;
}

export async function openBehindProxy(options: Omit<TestShopOptions, 'servers'>): Promise<ProxiedShop> {
  const wire = await TcpProxy.to(servers.databasePort);
  const shop = await TestShop.open({ ...options, servers: { ...servers, databasePort: wire.port } });
  const mysql = await labConnection(servers, shop.database);
  return {
    ...{ shop, wire, mysql },
    close: async () => {
      await mysql.end();
      await shop.close();
      await wire.close();
    },
  };
}
