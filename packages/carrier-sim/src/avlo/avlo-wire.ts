import { jsonAnswer } from '../answer.ts';
import { addDays, isCalendarDate } from '../timetable/local-clock.ts';
import { avloPairs } from '../timetable/service.ts';
import type { Train } from '../timetable/train.ts';
import { maxDaysAhead, type Wire, type WireContext } from '../wire.ts';
import { encodeAvlo } from './encode-avlo.ts';

/** Creates Avlo's wire: one static file per UTC day with the whole network. */
export function createAvloWire(context: WireContext): Wire {
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
        answer({ params }) {
          const date = /^(.*)\.json$/.exec(params['file'] ?? '')?.[1];
          if (!isCalendarDate(date)) {
            return jsonAnswer({ message: 'Expected /timetable/YYYY-MM-DD.json' }, 400);
          }
          const ahead = context.daysAhead(date, 'Europe/Madrid');
          // Spain is ahead of UTC: the local day of today begins in the UTC day before it.
          if (ahead < -1 || ahead > maxDaysAhead) {
            return jsonAnswer({ message: `No timetable for ${date}` }, 404);
          }
          const trains = [date, addDays(date, 1)].flatMap((localDate) =>
            avloPairs.flatMap((pair) => context.trains({ ...pair, date: localDate })),
          );
          const inDay = ({ departureMs }: Train): boolean =>
            new Date(departureMs).toISOString().startsWith(date);
          return jsonAnswer(encodeAvlo(trains.filter(inDay)));
        },
      },
    ],
  };
}
