/** Returns a number to three digits after the point. */
export function rounded(value: number): number {
  return Number.isInteger(value) ? value : Math.round(value * 1000) / 1000;
}

/** Returns plain data with every number to three digits after the point. */
export function roundedAll<T>(value: T): T {
  if (typeof value === 'number') return rounded(value) as T;
  if (Array.isArray(value)) return value.map(roundedAll) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, roundedAll(each)]),
  ) as T;
}
