import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** What happens to one goods between two resets. The ledger keeps the orders of every run. */
@Entity('runs')
export class Run {
  @PrimaryGeneratedColumn('increment', { type: 'bigint' })
  id!: number;

  @Column({ name: 'goods_id' })
  goodsId!: number;

  @Column()
  initial!: number;

  @CreateDateColumn({ name: 'started_at', precision: 3, default: () => 'CURRENT_TIMESTAMP(3)' })
  startedAt!: Date;
}
