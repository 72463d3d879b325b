import { type Audit } from '../contract/audit.js';

/**
 * A snapshot of MariaDB may show a COMMIT and not an earlier one on which it depends (docs/adr/0030). What is wrong in the
 * ledger stays wrong, so an accusation needs a second snapshot, counted from the first line.
 */
export class ConfirmedAudit {
  /** By goods, what was wrong in two snapshots. */
  private readonly confirmed = new Map<number, Pick<Audit, 'runId' | 'verdict'>>();

  constructor(
    /** Audits one snapshot. */
    private readonly look: (goodsId: number) => Promise<Audit>,
    /** The next look counts from the first line. */
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
