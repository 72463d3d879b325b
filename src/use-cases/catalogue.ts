import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { UnknownGoods } from '../errors.js';
import { Goods } from '../stock/goods.entity.js';
import { GoodsCache } from './goods-cache.js';

@Injectable()
export class Catalogue {
  constructor(
    private readonly database: Database,
    private readonly cache: GoodsCache,
  ) {}

  async list(): Promise<Goods[]> {
    const all = await this.database.connection((sql) => sql.entities.find(Goods, { order: { id: 'ASC' } }));
    return all.map(together);
  }

  one(id: number): Promise<Goods> {
    return this.cache.read(id, () => this.load(id));
  }

  private async load(id: number): Promise<Goods> {
    const found = await this.database.connection((sql) => sql.entities.findOneBy(Goods, { id }));
    if (!found) throw new UnknownGoods(id);
    return together(found);
  }
}

/** Clients see one number, whether the stock is in its own row or in segments. */
function together({ inSegments = 0, inventory, ...goods }: Goods): Goods {
  return { ...goods, inventory: inventory + inSegments };
}
