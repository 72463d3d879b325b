import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { UnknownGoods } from '../errors.js';
import { GoodsCache } from './goods-cache.js';
import { Goods } from './goods.entity.js';

@Injectable()
export class Catalogue {
  constructor(
    private readonly database: Database,
    private readonly cache: GoodsCache,
  ) {}

  list(): Promise<Goods[]> {
    return this.database.connection((sql) => sql.entities.find(Goods, { order: { id: 'ASC' } }));
  }

  one(id: number): Promise<Goods> {
    return this.cache.read(id, () => this.load(id));
  }

  private async load(id: number): Promise<Goods> {
    const found = await this.database.connection((sql) => sql.entities.findOneBy(Goods, { id }));
    if (!found) throw new UnknownGoods(id);
    return found;
  }
}
