/** Search that the load asks: two stations and a day. */
export interface Question {
  /** UIC codes. */
  readonly origin: string;
  readonly destination: string;
  /** `2026-12-01` */
  readonly date: string;
  readonly passengers: number;
}

/** Pairs that several carriers of one network sell, the most asked first. */
const PAIRS: readonly (readonly [origin: string, destination: string])[] = [
  ['7160000', '7171801'],
  ['8503000', '8301700'],
  ['7160000', '7151003'],
  ['8768600', '8772319'],
  ['8101003', '8020347'],
  ['7117000', '7103216'],
  ['8503000', '8507000'],
  ['7171801', '7160000'],
];
const DAYS_AHEAD = [7, 8, 14];
const DAY_MS = 86_400_000;

/** Returns every question of a load that begins at a time: the first half of the pairs times the days are the popular ones. */
export function questionsFrom(nowMs: number): readonly Question[] {
  return [1, 2].flatMap((passengers) =>
    DAYS_AHEAD.flatMap((days) =>
      PAIRS.map(([origin, destination]) => ({
        ...{ origin, destination, passengers },
        date: new Date(nowMs + days * DAY_MS).toISOString().slice(0, 10),
      })),
    ),
  );
}

/** Returns the target of a question. */
export function searchTarget({ origin, destination, date, passengers }: Question): string {
  const people = passengers === 1 ? '' : `&passengers=${passengers}`;
  return `/search?origin=uic:${origin}&destination=uic:${destination}&date=${date}${people}`;
}
