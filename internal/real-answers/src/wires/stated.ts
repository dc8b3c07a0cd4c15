/** Duration, changes and price that an answer itself gives for one journey. Absent: it gives none. */
export interface Stated {
  readonly minutes?: number | undefined;
  /** Changes of vehicle. */
  readonly changes?: number | undefined;
  /** The least price for all passengers: minor units of its currency. */
  readonly total?: { readonly amount: number; readonly currency: string } | undefined;
}

/** One journey of an answer: an answer with this journey alone, and its statements about it. */
export interface Row {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly stated: Stated;
}

/** Returns minutes of an ISO 8601 duration in days, hours, minutes and seconds, such as `PT2H05M` or `P0Y0M0DT2H5M0S`. */
export function minutesOf(duration: unknown): number | undefined {
  if (typeof duration !== 'string') return undefined;
  const parts =
    /^P(?:0+Y)?(?:0+M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(
      duration,
    );
  if (parts === null) return undefined;
  const [days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return (days ?? 0) * 1440 + (hours ?? 0) * 60 + (minutes ?? 0) + Math.floor((seconds ?? 0) / 60);
}
