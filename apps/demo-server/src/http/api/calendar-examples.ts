import type { CalendarEvent, CalendarResult, Station } from '@ticketing/core';

const station = (uic: string, name: string): Station => ({
  id: `uic:${uic}`,
  name,
  zone: 'Europe/Madrid',
  country: 'ES',
  latitude: 40.4,
  longitude: -3.7,
  codes: { uic },
});

const calendar: CalendarResult = {
  query: {
    origin: station('7160000', 'Madrid Puerta de Atocha'),
    destination: station('7171801', 'Barcelona Sants'),
    month: '2026-11',
    passengers: [{}],
  },
  days: [
    {
      date: '2026-11-29',
      state: 'priced',
      lowest: { amount: 1900, currency: 'EUR' },
      carrier: 'ouigo',
      basis: 'calendar',
      fetchedAt: 1795344557355,
      totals: [{ amount: 1900, currency: 'EUR' }],
    },
    { date: '2026-11-30', state: 'unknown', unknown: ['avlo'] },
  ],
  carriers: [
    { carrier: 'ouigo', state: 'ok', ms: 84, found: 2 },
    { carrier: 'avlo', state: 'ok', ms: 0, found: 1 },
  ],
  complete: false,
  ms: 85,
};

/** Calendars as readers of the OpenAPI document see them. */
export const calendarExamples = {
  calendar: { summary: 'Two days, one of which a carrier does not know', value: calendar },
};

const { query, days, carriers, complete, ms } = calendar;
const asked = { state: 'running', ms: 0, found: 0 } as const;
const events: readonly CalendarEvent[] = [
  {
    type: 'calendar-started',
    query,
    days: days.map(({ date }) => ({ date, state: 'unknown', unknown: ['ouigo', 'avlo'] })),
    carriers: carriers.map(({ carrier }) => ({ carrier, ...asked })),
    deadline: 1795344559109,
  },
  { type: 'calendar-days', days },
  ...carriers.map((status) => ({ type: 'carrier-status', status }) as const).slice(0, 1),
  { type: 'calendar-done', carriers, complete, ms },
];

/** Each event of a streamed calendar, by its type. */
export const calendarEventExamples = Object.fromEntries(
  events.map((value) => [value.type, { summary: `Event ${value.type}`, value }]),
);
