import { createBoundedMap } from '../bounded-map.ts';
import { addDays, isCalendarDate } from '../timetable/local-clock.ts';
import { stationOf } from '../timetable/network.ts';
import { avloPairs } from '../timetable/service.ts';
import type { Train } from '../timetable/train.ts';
import { jsonAnswer, maxDaysAhead, type Wire, type WireContext } from './wire.ts';

/** A month and more, of some 30 kB each. */
const MAX_DOCUMENTS = 40;

interface Document {
  readonly lists: readonly (readonly Train[])[];
  readonly body: string;
}

/** Creates Avlo's wire: one static file per UTC day, with the whole network. */
export function createAvloWire(context: WireContext): Wire {
  /** Documents by UTC day, with the lists of trains that each was made of. */
  const documents = createBoundedMap<Document>(MAX_DOCUMENTS);

  /** Made again if the plan has other trains now. */
  function documentOf(date: string): string {
    const lists = [date, addDays(date, 1)].flatMap((localDate) =>
      avloPairs.map((pair) => context.trains({ ...pair, date: localDate })),
    );
    const kept = documents.get(date);
    if (kept?.lists.every((list, index) => list === lists[index])) return kept.body;
    const [from, until] = [Date.parse(date), Date.parse(addDays(date, 1))];
    const inDay = ({ departureMs }: Train): boolean => departureMs >= from && departureMs < until;
    const body = encodeAvlo(lists.flat().filter(inDay));
    documents.add(date, { lists, body });
    return body;
  }

  return {
    throttled: (retryAfterSeconds) => ({
      status: 503,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'retry-after': String(retryAfterSeconds),
      },
      body: 'Service Unavailable\n',
    }),
    malformPrice: (body) => body.replace(/"price":[\d.]+/, '"price":"abc"'),
    calls: [
      {
        method: 'GET',
        path: '/timetable/:file',
        search: true,
        searchKey: ({ path }) => path.slice(-'2026-12-01.json'.length, -'.json'.length),
        answer({ params }) {
          const date = /^(.*)\.json$/.exec(params['file'] ?? '')?.[1];
          if (!isCalendarDate(date)) {
            return jsonAnswer({ message: 'Expected /timetable/YYYY-MM-DD.json' }, 400);
          }
          const ahead = context.daysAhead(date, 'Europe/Madrid');
          // Spain is ahead of UTC: today's local day begins in the UTC day before it.
          if (ahead < -1 || ahead > maxDaysAhead) {
            return jsonAnswer({ message: `No timetable for ${date}` }, 404);
          }
          return jsonAnswer(documentOf(date));
        },
      },
    ],
  };
}

/**
 * Returns Avlo's timetable: JSON rows by date, and by station ids within a minute.
 *
 * @throws TypeError when Avlo has no id for a station.
 */
export function encodeAvlo(trains: readonly Train[]): string {
  const rows = trains.map((train) => {
    const fare = train.fares.find(({ seller }) => seller === 'avlo');
    return {
      date: new Date(train.departureMs).toISOString(),
      origin: avloIdOf(train.origin),
      destination: avloIdOf(train.destination),
      price: fare ? fare.cents / 100 : null,
    };
  });
  const sorted = rows.sort(
    (a, b) =>
      Date.parse(a.date) - Date.parse(b.date) ||
      a.origin - b.origin ||
      a.destination - b.destination,
  );
  return JSON.stringify(sorted);
}

function avloIdOf(uic: string): number {
  const { avloId, name } = stationOf(uic);
  if (avloId !== undefined) return avloId;
  throw new TypeError(`Cannot encode train: Avlo has no id for ${name}`);
}
