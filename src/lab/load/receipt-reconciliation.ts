/** What the buyers were told, held against the ledger. */
export interface ReceiptReconciliation {
  /** Sales that buyers have a receipt for. */
  readonly acknowledged: number;
  readonly inLedger: number;
  /** Receipts for orders that the ledger does not have. */
  readonly missing: number;
  /** Receipts for an order that another buyer has a receipt for, too. */
  readonly repeated: number;
  /** Orders that nobody has a receipt for, beyond those whose buyers do not know. */
  readonly unexplained: number;
  /** Orders whose buyers do not know that they have bought. */
  readonly boughtUnawares: number;
  readonly ok: boolean;
}

/** An outcome that nobody knows may have an order in the ledger or not; a receipt must have one, and one alone. */
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
