/**
 * Counts how many of a limited number of slots each owner holds. One owner may hold at most `percent` of the slots that the
 * other owners leave free. So one owner never holds all slots, and several busy owners still leave some for the next
 * one. An owner that holds none always gets a free slot.
 */
export class Shares<Owner> {
  private readonly places = new Map<Owner, number>();
  private taken = 0;

  constructor(
    private readonly size: number,
    private readonly percent: number,
  ) {}

  get held(): number {
    return this.taken;
  }

  heldBy(owner: Owner): number {
    return this.places.get(owner) ?? 0;
  }

  /** The owner that holds most: an order for several goods counts for the busiest of them. */
  busiest([first, ...others]: readonly [Owner, ...Owner[]]): Owner {
    return others.reduce((most, owner) => (this.heldBy(owner) > this.heldBy(most) ? owner : most), first);
  }

  admits(owner: Owner): boolean {
    const own = this.heldBy(owner);
    const free = this.size - this.taken;
    return free > 0 && (own === 0 || (own + 1) * 100 <= this.percent * (own + free));
  }

  /** Takes a slot that `admits` has allowed; returns the function that frees it. */
  take(owner: Owner): () => void {
    this.change(owner, 1);
    let returned = false;
    return () => {
      if (!returned) this.change(owner, -1);
      returned = true;
    };
  }

  private change(owner: Owner, by: 1 | -1): void {
    this.taken += by;
    const own = this.heldBy(owner) + by;
    if (own === 0) this.places.delete(owner);
    else this.places.set(owner, own);
  }
}
