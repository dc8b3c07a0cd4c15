/** Parameters that belong to one answer, or to a browser without script. */
const OF_ONE_ANSWER = ['page', 'carriers', 'plain', 'fresh', 'returnDate', 'returnTime'];

/** Returns the address of a search with other parameters; an empty value takes one away. */
export function addressWith(
  search: URLSearchParams,
  changed: Readonly<Record<string, string>>,
): string {
  // New prices were wanted once.
  const parameters = new URLSearchParams(
    [...search].filter(([name, value]) => value !== '' && name !== 'fresh'),
  );
  for (const [name, value] of Object.entries(changed)) {
    if (value === '') parameters.delete(name);
    else parameters.set(name, value);
  }
  return `/?${parameters}`;
}

/** Returns the address of the same search on another day. */
export function addressOnDay(search: URLSearchParams, day: string): string {
  return addressWith(search, { date: day, page: '' });
}

/** Returns a text that is equal for the same search on any day, in any order. */
export function searchKey(search: URLSearchParams): string {
  const ignored = new Set([...OF_ONE_ANSWER, 'date', 'order']);
  const known = [...search].filter(([name, value]) => value !== '' && !ignored.has(name));
  return String(new URLSearchParams(known.sort(([a], [b]) => (a < b ? -1 : 1))));
}
