import { createTimetable } from '@ticketing/carrier-sim';
import type { Question } from '../load/questions.ts';

/** Carriers that the demo asks by default. */
export const CARRIERS = ['renfe', 'ouigo', 'avlo', 'osdm', 'hafas', 'ojp', 'navitia'] as const;
export type CarrierId = (typeof CARRIERS)[number];

/** Trains of one carrier, a line each: `1795929300000 1795938300000 3071 2895`. */
export type Lines = ReadonlySet<string>;

/** Returns what a carrier has for a question. */
export type Truth = (question: Question, carrier: CarrierId) => Lines;

/** Reads the timetable of a seed directly, without any wire. Keeps each list that it has read. */
export function createTruth(seed: number | string): Truth {
  const timetable = createTimetable({ seed });
  const kept = new Map<string, Lines>();
  return (question, carrier) => {
    const key = `${carrier} ${JSON.stringify(question)}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const { origin, destination, date, passengers } = question;
    const trains = timetable.trains({ origin, destination, date, carrier });
    const lines = new Set(
      trains.map(({ departureMs, arrivalMs, number, fares }) => {
        const cents = fares.filter(({ seller }) => seller === carrier).map((fare) => fare.cents);
        const least = cents.length === 0 ? undefined : Math.min(...cents) * passengers;
        return lineOf(carrier, { departureMs, arrivalMs, number, least });
      }),
    );
    kept.set(key, lines);
    return lines;
  };
}

/** Carriers whose wire has no numbers: their trains get them where another carrier sells them, too. */
const NUMBERLESS: readonly CarrierId[] = ['avlo'];

/** Formats a train of a carrier: times, number without leading zeros, least price for all, or `-`. */
export function lineOf(
  carrier: CarrierId,
  train: {
    readonly departureMs: number;
    readonly arrivalMs: number;
    readonly number: string | undefined;
    readonly least: number | undefined;
  },
): string {
  const { departureMs, arrivalMs, number = '', least } = train;
  const shown = NUMBERLESS.includes(carrier) ? '-' : number.replace(/^0+/, '');
  return `${departureMs} ${arrivalMs} ${shown} ${least ?? '-'}`;
}
