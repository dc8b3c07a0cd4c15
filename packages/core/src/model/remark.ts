/** Note of a carrier about a train or a journey, as plain text: escape it where you show it. */
export interface Remark {
  /** Kind of the remark. `disruption`: something does not go as planned. */
  readonly kind: 'disruption' | 'info';
  /** 1 to {@link MAX_REMARK_LENGTH} characters. */
  readonly text: string;
  /** The carrier's own code. */
  readonly code?: string;
  /** Language of the text, where the carrier names it: `'de'`. */
  readonly language?: string;
}

/** A list of remarks has at most as many. */
export const MAX_REMARKS = 20;

/** Characters of a text of a remark, of conditions or of a booking at most. */
export const MAX_REMARK_LENGTH = 500;

/**
 * Returns the remarks of several carriers on one train, each text once: the first list, then remarks that it lacks. Of too many,
 * disruptions stay.
 */
export function joinRemarks(
  lists: readonly (readonly Remark[] | undefined)[],
): readonly Remark[] | undefined {
  if (lists.every((list) => list === undefined)) return undefined;
  const [first, ...others] = lists.filter((list) => list !== undefined);
  if (others.length === 0) return first;
  const byText = new Map<string, Remark>();
  for (const list of [first ?? [], ...others]) {
    for (const remark of list) if (!byText.has(remark.text)) byText.set(remark.text, remark);
  }
  const all = [...byText.values()];
  if (all.length === first?.length) return first;
  if (all.length <= MAX_REMARKS) return all;
  const of = (wanted: Remark['kind']): Remark[] => all.filter(({ kind }) => kind === wanted);
  return [...of('disruption'), ...of('info')].slice(0, MAX_REMARKS);
}
