interface InSlot {
  readonly workerId: number;
  /** Slot from 0. A successor takes over the slot of its predecessor. */
  readonly slot: number;
  readonly state: keyof typeof RANKS;
}

/** Ranks by state. While a worker is replaced two have one slot: the id of the slot is for the one that works. */
const RANKS = { ready: 0, starting: 1, retiring: 2, stopping: 3 };

/**
 * Returns workers in the order of their slots, with ids that are unique and the same for a worker and its successor, such as
 * `server-0`. Where several have a slot the others are `server-0/other`, `server-0/other-2`.
 */
export function withIds<W extends InSlot>(
  prefix: string,
  workers: readonly W[],
): { readonly id: string; readonly worker: W }[] {
  const taken = new Map<number, number>();
  return [...workers]
    .sort(
      (one, two) =>
        one.slot - two.slot || RANKS[one.state] - RANKS[two.state] || two.workerId - one.workerId,
    )
    .map((worker) => {
      const others = taken.get(worker.slot) ?? 0;
      taken.set(worker.slot, others + 1);
      const suffix = others === 0 ? '' : `/other${others === 1 ? '' : `-${others}`}`;
      return { id: `${prefix}-${worker.slot}${suffix}`, worker };
    });
}
