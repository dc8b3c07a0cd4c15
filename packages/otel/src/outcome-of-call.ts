/** Returns the `ticketing.outcome` of a search, or of a call of a scatter, that has ended. */
export function outcomeOfCall({
  ended,
}: {
  readonly ended?: { readonly complete: boolean; readonly aborted: boolean };
}): 'aborted' | 'complete' | 'partial' {
  if (ended?.aborted) return 'aborted';
  return ended?.complete ? 'complete' : 'partial';
}
