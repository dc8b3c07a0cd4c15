import type { IncomingHttpHeaders } from 'node:http';
import { createBoundedMap, keptByList } from '../bounded-map.ts';
import { leastCents } from '../timetable/least-fare.ts';
import { datesBetween, isCalendarDate, localTimeAt } from '../timetable/local-clock.ts';
import { stationOf, stations } from '../timetable/network.ts';
import { createRandom } from '../timetable/random.ts';
import type { Train } from '../timetable/train.ts';
import {
  type Answer,
  type Credentials,
  type Finding,
  jsonAnswer,
  type NoOptions,
  searchKeyOf,
  type Wire,
  type WireContext,
} from './wire.ts';

const maxTokens = 10_000;
const tokenSeconds = 1200;
/** Sizes of parties whose answers are kept. */
const maxPeople = 9;

/**
 * Faults of Ouigo alone: `token-refused` answers 401 to a token that is valid, `moved` leads a search to a page for people, `unknown-error`
 * answers it with a code that no list has.
 */
export const ouigoFaults: {
  readonly 'token-refused': NoOptions;
  readonly moved: NoOptions;
  readonly 'unknown-error': NoOptions;
} = { 'token-refused': {}, moved: {}, 'unknown-error': {} };

/** Creates Ouigo's wire: a login that returns a token for twenty minutes, a search and a calendar of prices in JSON. */
export function createOuigoWire(context: WireContext): Wire {
  const encoders = new Map<number, (trains: readonly Train[]) => string>();
  const encodeOnce = (trains: readonly Train[], people: number): string => {
    const kept = encoders.get(people);
    if (kept !== undefined) return kept(trains);
    const encode = keptByList((list: readonly Train[]) => encodeOuigo(list, people));
    if (encoders.size < maxPeople) encoders.set(people, encode);
    return encode(trains);
  };
  const { credentials } = context;
  const ids = createRandom(`${context.seed}/ouigo/tokens`);
  const expiries = createBoundedMap<number>(maxTokens);
  return {
    throttled: () => saleError('TOO_MANY_REQUESTS', 'Too many requests'),
    malformPrice: (body) => body.replace(/"price":[\d.]+/, '"price":"abc"'),
    calls: [
      {
        method: 'POST',
        path: '/Token/login',
        answer({ body }) {
          if (!isWelcome(readJson(body), credentials)) {
            return httpError(401, { code: 'INVALID_CREDENTIALS', message: 'Invalid credentials' });
          }
          const token = ids.token();
          expiries.add(token, context.now() + tokenSeconds * 1000);
          const expires = new Date(context.now() + tokenSeconds * 1000);
          return jsonAnswer({ token, expirationDate: expires.toISOString() });
        },
      },
      {
        method: 'POST',
        path: '/Sale/journeysearch',
        search: true,
        searchKey({ body }) {
          const query = readQuery(readJson(body));
          return query && searchKeyOf(query);
        },
        answer({ body, headers, fault }) {
          if (fault?.kind === 'token-refused' || !isLoggedIn(headers)) return tokenRefused();
          const query = readQuery(readJson(body));
          if (!query) {
            return httpError(400, { code: 'BAD_REQUEST', message: 'Malformed journey search' });
          }
          if (fault?.kind === 'moved') {
            return { status: 302, headers: { location: 'https://wait.example/' }, body: '' };
          }
          if (fault?.kind === 'unknown-error') return saleError('S3_FAILURE', 'Try again later');
          const finding = context.find(query);
          if (finding.kind === 'not-served') return saleError('NO_ROUTE', 'No such route');
          if (finding.kind === 'date-not-on-sale') {
            return saleError('DATE_NOT_ON_SALE', 'The date is not on sale');
          }
          return jsonAnswer(encodeOnce(finding.trains, query.people));
        },
      },
      {
        method: 'POST',
        path: '/Calendar/prices',
        answer({ body, headers }) {
          if (!isLoggedIn(headers)) return tokenRefused();
          const query = readCalendarQuery(readJson(body));
          if (!query) return httpError(400, { code: 'BAD_REQUEST', message: 'Malformed calendar' });
          const days = query.dates.map((date) => ({
            date,
            finding: context.find({ ...query, date }),
          }));
          if (days.some(({ finding }) => finding.kind === 'not-served')) {
            return saleError('NO_ROUTE', 'No such route');
          }
          return jsonAnswer(encodeOuigoCalendar(days, query.people));
        },
      },
    ],
  };

  function isLoggedIn({ authorization = '' }: IncomingHttpHeaders): boolean {
    const token = /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '';
    return context.now() < (expiries.get(token) ?? 0);
  }
}

function tokenRefused(): Answer {
  return httpError(401, { code: 'INVALID_TOKEN', message: 'Token missing or expired' });
}

/** Most days of one calendar. */
const maxDays = 30;

function readCalendarQuery(
  value: unknown,
): { origin: string; destination: string; dates: readonly string[]; people: number } | undefined {
  const { direction, begin, end, ...ends } = Object(value) as Record<string, unknown>;
  const query = readQuery({ ...ends, outbound_date: begin });
  if (direction !== 'outbound' || !query || !isCalendarDate(end)) return undefined;
  const dates = datesBetween(query.date, end);
  if (dates.length === 0 || dates.length > maxDays) return undefined;
  const { origin, destination, people } = query;
  return { origin, destination, dates, people };
}

/** Returns Ouigo's calendar: the least price of each day for a whole party, `null` without one, and marks on the least of all. */
function encodeOuigoCalendar(
  days: readonly { readonly date: string; readonly finding: Finding }[],
  people: number,
): string {
  const priced = days.map(({ date, finding }) => ({
    date,
    cents: finding.kind === 'trains' ? leastCents(finding.trains, 'ouigo') : undefined,
  }));
  const best = Math.min(...priced.map(({ cents }) => cents ?? Number.POSITIVE_INFINITY));
  return JSON.stringify(
    priced.map(({ date, cents }) => ({
      date,
      price: cents === undefined ? null : (cents * people) / 100,
      is_best_price: cents === best,
      is_best_price_month: cents === best,
      is_promo: false,
    })),
  );
}

function isWelcome(login: unknown, credentials: Credentials | undefined): boolean {
  if (!isRecord(login)) return false;
  const { username, password } = login as Record<string, unknown>;
  if (credentials) {
    return username === credentials.username && password === credentials.password;
  }
  return [username, password].every((each) => typeof each === 'string' && each !== '');
}

function readQuery(
  value: unknown,
): { origin: string; destination: string; date: string; people: number } | undefined {
  if (!isRecord(value)) return undefined;
  const { origin, destination, outbound_date: date, passengers } = value as Record<string, unknown>;
  if (typeof origin !== 'string' || typeof destination !== 'string') return undefined;
  if (!isCalendarDate(date) || !Array.isArray(passengers)) return undefined;
  if (passengers.length === 0 || !passengers.every(isRecord)) return undefined;
  return {
    origin: uicOf(origin),
    destination: uicOf(destination),
    date,
    people: passengers.length,
  };
}

function uicOf(code: string): string {
  return stations.find(({ ouigoCode }) => ouigoCode === code)?.uic ?? code;
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function saleError(code: string, message: string): Answer {
  return jsonAnswer({ outbound: null, error: { code, message } });
}

function httpError(status: number, error: { code: string; message: string }): Answer {
  return jsonAnswer({ error }, status);
}

/** Returns Ouigo's answer to a search: JSON with prices in euros for a whole party. */
export function encodeOuigo(trains: readonly Train[], people = 1): string {
  return JSON.stringify({
    outbound: trains.map((train) => encodeTrain(train, people)),
    blocs_cms_outbound: trains.length > 0 ? [] : ['NO_RESULTS'],
    error: null,
  });
}

/** Seats are counted when few are left. */
const FEW_SEATS = 9;

function encodeTrain(train: Train, people: number): object {
  const fare = train.fares.find(({ seller }) => seller === 'ouigo');
  const origin = stationOf(train.origin);
  const destination = stationOf(train.destination);
  const euros = (cents: number): number => (cents * people) / 100;
  return {
    segments: [{ service_name: train.number, service_date: train.date }],
    departure_station: {
      departure_timestamp: localTimeAt(train.departureMs, origin.zone).timestamp,
      _u_i_c_station_code: origin.uic,
      name: origin.name,
    },
    arrival_station: {
      arrival_timestamp: localTimeAt(train.arrivalMs, destination.zone).timestamp,
      _u_i_c_station_code: destination.uic,
      name: destination.name,
    },
    full: !fare,
    remaining_seats: fare && train.seatsLeft <= FEW_SEATS ? train.seatsLeft : null,
    price: fare ? euros(fare.cents) : null,
    original_price: fare ? euros(fare.cents) : null,
    is_promo: false,
    packages: fare
      ? [
          { product_family_id: 'OUIGO_PLUS', name: 'Plus', price: euros(fare.cents + 900) },
          { product_family_id: 'OUIGO_FULL', name: 'Full', price: euros(fare.cents + 1700) },
        ]
      : [],
  };
}
