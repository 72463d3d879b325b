import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { UnknownGoods } from '../errors.js';
import { Goods } from './goods.entity.js';

@Injectable()
export class Catalogue {
  constructor(private readonly database: Database) {}

  list(): Promise<Goods[]> {
    return this.database.connection((sql) => sql.entities.find(Goods, { order: { id: 'ASC' } }));
  }

  async one(id: number): Promise<Goods> {
    const found = await this.database.connection((sql) => sql.entities.findOneBy(Goods, { id }));
    if (!found) throw new UnknownGoods(id);
    return found;
  }
}
