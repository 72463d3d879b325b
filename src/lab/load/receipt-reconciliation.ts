import { type ReceiptReconciliation } from '../../contract/lab-runs.js';

/** An unknown outcome may have an order in the ledger or not; a receipt must have exactly one. */
export function reconcileReceipts(
  acknowledged: readonly number[],
  ledger: readonly number[],
  unknownOutcomes: number,
): ReceiptReconciliation {
  const told = new Set(acknowledged);
  const written = new Set(ledger);
  const missing = [...told].filter((id) => !written.has(id)).length;
  const repeated = acknowledged.length - told.size;
  const untold = [...written].filter((id) => !told.has(id)).length;
  const unexplained = Math.max(0, untold - unknownOutcomes);
  return {
    acknowledged: acknowledged.length,
    inLedger: ledger.length,
    missing,
    repeated,
    unexplained,
    boughtUnawares: untold - unexplained,
    ok: missing === 0 && repeated === 0 && unexplained === 0,
  };
}
