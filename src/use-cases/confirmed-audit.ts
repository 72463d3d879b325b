import { type Audit } from '../contract/audit.js';

/**
 * A snapshot of MariaDB may contain a COMMIT but not an earlier one on which it depends (docs/adr/0030). An error in the
 * ledger is permanent, so an error is reported only if a second snapshot, counted from the first line, also shows it.
 */
export class ConfirmedAudit {
  /** By goods, the error that two snapshots have shown. */
  private readonly confirmed = new Map<number, Pick<Audit, 'runId' | 'verdict'>>();

  constructor(
    /** Audits one snapshot. */
    private readonly look: (goodsId: number) => Promise<Audit>,
    /** Makes the next audit count from the first line. */
    private readonly forget: (goodsId: number) => void,
  ) {}

  async of(goodsId: number): Promise<Audit> {
    const first = await this.look(goodsId);
    const known = this.confirmed.get(goodsId);
    if (first.verdict === 'SAFE') return first;
    if (first.runId === known?.runId && first.verdict === known.verdict) return first;
    this.forget(goodsId);
    const second = await this.look(goodsId);
    if (second.verdict !== 'SAFE') this.confirmed.set(goodsId, second);
    return second;
  }
}
