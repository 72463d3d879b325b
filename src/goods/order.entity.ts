import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A line of the ledger. It is written once and never changed: the service's account may not. */
@Entity('orders')
@Index('one_order_per_key', ['goodsId', 'runId', 'idempotencyKey'], { unique: true })
@Index('one_return_per_order', ['cancels'], { unique: true })
@Index('one_order_per_number', ['number'], { unique: true })
@Index('orders_of_a_run', ['runId', 'segment', 'id'])
export class Order {
  @PrimaryGeneratedColumn('increment', { type: 'bigint' })
  id!: number;

  @Column('enum', { enum: ['SALE', 'RETURN', 'MOVE'] })
  kind!: 'SALE' | 'RETURN' | 'MOVE';

  @Column('bigint', { name: 'run_id' })
  runId!: number;

  @Column({ name: 'goods_id' })
  goodsId!: number;

  @Column({ length: 64 })
  strategy!: string;

  @Column()
  quantity!: number;

  @Column({
    type: 'varchar',
    name: 'idempotency_key',
    length: 64,
    nullable: true,
    charset: 'ascii',
    collation: 'ascii_bin',
  })
  idempotencyKey!: string | null;

  /** A hash of the request that the key stands for; null without a key. */
  @Column({
    type: 'char',
    name: 'request_hash',
    length: 43,
    nullable: true,
    charset: 'ascii',
    collation: 'ascii_bin',
  })
  requestHash!: string | null;

  @Column({ length: 64 })
  instance!: string;

  /** The stock that the strategy saw, and the stock that it left. */
  @Column({ name: 'before_inventory' })
  before!: number;

  @Column({ name: 'after_inventory' })
  after!: number;

  @Column('bigint', { nullable: true })
  fence!: number | null;

  @Column('bigint', { name: 'lease_seq', nullable: true })
  leaseSeq!: number | null;

  @Column()
  attempts!: number;

  @Column({ name: 'waited_ms' })
  waitedMs!: number;

  /** On a RETURN: the sale that it gives back. */
  @Column('bigint', { nullable: true })
  cancels!: number | null;

  /** Given before the order passed the Redis gate; the buyer knows the order by it. */
  @Column('bigint', { nullable: true })
  number!: number | null;

  /** What the buyer was told was left, where that is not what this line left in its stock row. */
  @Column('int', { name: 'gate_remaining', nullable: true })
  gateRemaining!: number | null;

  /** Which stock row the line is about: a segment, or null for the row in `goods`. */
  @Column('tinyint', { nullable: true })
  segment!: number | null;

  @CreateDateColumn({ name: 'created_at', precision: 3, default: () => 'CURRENT_TIMESTAMP(3)' })
  createdAt!: Date;
}
