/** Stands for a figure that is not known. */
export const NONE = '–';

export function whole(value: number | undefined): string {
  return value === undefined ? NONE : String(Math.round(value));
}

export function decimal(value: number | undefined): string {
  return value === undefined ? NONE : value.toFixed(1);
}

/** `share`: 0 to 1. */
export function percent(share: number | undefined): string {
  return share === undefined ? NONE : `${Math.round(share * 100)} %`;
}

/** Writes a time with its unit: `1.2 ms`, `412 ms`, `2.0 s`. */
export function ms(value: number | undefined): string {
  if (value === undefined) return NONE;
  if (value >= 999.5) return `${(value / 1000).toFixed(1)} s`;
  return value < 9.95 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
}

export function bytes(value: number | undefined): string {
  if (value === undefined) return NONE;
  const mebibytes = Math.round(value / 2 ** 20);
  return mebibytes < 1000 ? `${mebibytes} MiB` : `${(value / 2 ** 30).toFixed(1)} GiB`;
}

/** Writes a count with its noun: `1 call`, `3 calls`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** Writes the time of day where the reader is: `09:05:30`. */
export function clockTime(epochMs: number): string {
  const date = new Date(epochMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
