import {
  Column,
  CreateDateColumn,
  Entity,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
  VirtualColumn,
} from 'typeorm';
import { type StockPlace } from './stock.js';

/** Goods on sale, and how many are left. */
@Entity('goods')
export class Goods {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ length: 64 })
  category!: string;

  @Column({ length: 64 })
  brand!: string;

  @Column({ length: 128 })
  name!: string;

  @Column({ length: 255 })
  picture!: string;

  @Column({ length: 1000 })
  description!: string;

  @Column({ length: 16, default: 'on-sale' })
  status!: string;

  @Column('decimal', { precision: 10, scale: 2 })
  price!: number;

  /** How many this run started with. */
  @Column()
  supply!: number;

  /** How many are left, by the last write. The column excludes the units in segments; the catalogue adds them. */
  @Column()
  inventory!: number;

  /** How many are in segments. */
  @VirtualColumn({
    type: 'int',
    query: (goods) =>
      `COALESCE((SELECT SUM(inventory) FROM stock_segments WHERE run_id = ${goods}.run_id), 0)`,
  })
  inSegments?: number;

  @Column('json')
  properties!: Record<string, string | number>;

  /** Incremented by every write: `cas-version` compares it. */
  @Column({ default: 0 })
  version!: number;

  /** The number of the last lease that the row itself has granted. */
  @Column('bigint', { name: 'lease_seq', default: 0 })
  leaseSeq!: number;

  /** The largest fencing token that has written the row. */
  @Column('bigint', { default: 0, select: false })
  fence!: number;

  @Column('bigint', { name: 'run_id', default: 0 })
  runId!: number;

  /** The id of the Redis stock that may sell the goods. Clients must not see it, so it is read only where a query names it. */
  @Column({
    type: 'char',
    name: 'gate_id',
    length: 36,
    nullable: true,
    charset: 'ascii',
    collation: 'ascii_bin',
    select: false,
  })
  gateId!: string | null;

  /** The store that may sell the goods: see `StockPlace`. */
  @Column('enum', {
    name: 'stock_in',
    enum: ['mysql', 'redis', 'segments'],
    default: 'mysql',
    select: false,
  })
  stockIn!: StockPlace;

  /** The strategy that last wrote the stock row, or 'return' or 'reset'. */
  @Column({ name: 'last_writer', length: 64, default: '', select: false })
  lastWriter!: string;

  @CreateDateColumn({ name: 'created_at', precision: 3, default: () => 'CURRENT_TIMESTAMP(3)' })
  createdAt!: Date;

  @UpdateDateColumn({
    name: 'updated_at',
    precision: 3,
    default: () => 'CURRENT_TIMESTAMP(3)',
    onUpdate: 'CURRENT_TIMESTAMP(3)',
  })
  updatedAt!: Date;
}
