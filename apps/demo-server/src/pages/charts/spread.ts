interface Block {
  /** Sum of the places that its members would have if each were alone in it. */
  sum: number;
  readonly members: number[];
}

/**
 * Returns places as near as possible to the wanted ones (least squares), each at least `gap` from the next and all within `from` and
 * `to`. If there is no room, they overlap evenly. Order is kept among equals.
 */
export function spread(
  wanted: readonly number[],
  { gap, from, to }: { readonly gap: number; readonly from: number; readonly to: number },
): number[] {
  const step = Math.min(gap, (to - from) / Math.max(1, wanted.length - 1));
  const order = wanted.map((_, at) => at).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const blocks: Block[] = [];
  for (const [rank, at] of order.entries()) {
    blocks.push({ sum: (wanted[at] ?? 0) - rank * step, members: [at] });
    for (let last = blocks.length - 1; last > 0; last--) {
      const [before, own] = [blocks[last - 1], blocks[last]];
      if (before === undefined || own === undefined || meanOf(before) <= meanOf(own)) break;
      before.sum += own.sum;
      before.members.push(...own.members);
      blocks.pop();
    }
  }
  const places = wanted.map(() => 0);
  const lastPlace = to - (wanted.length - 1) * step;
  let rank = 0;
  for (const block of blocks) {
    const base = Math.min(Math.max(meanOf(block), from), lastPlace);
    for (const at of block.members) {
      places[at] = base + rank * step;
      rank += 1;
    }
  }
  return places;
}

function meanOf({ sum, members }: Block): number {
  return sum / members.length;
}
