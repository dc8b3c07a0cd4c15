import type { IncomingHttpHeaders } from 'node:http';
import { localTimeAt } from '../../timetable/local-clock.ts';
import { findStation } from '../../timetable/network.ts';

/** A refusal, as RFC 9457 has it. */
export interface OsdmProblem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  /** JSON pointers into the request. */
  readonly pointers?: readonly string[];
}

/** A search for trips. */
export interface OsdmCriteria {
  /** Pointer to the criteria in the request. */
  readonly pointer: string;
  readonly origin: string;
  readonly destination: string;
  readonly atMs: number;
  readonly by: 'departure' | 'arrival';
  readonly before: number;
  readonly after: number;
  readonly via: string | undefined;
  readonly transferLimit: number | undefined;
}

/** A search for offers: for the trips of a search, or for trips that are known. */
type OsdmOfferRequest = {
  readonly passengers: readonly string[];
  readonly travelClasses: readonly string[] | undefined;
  /** True if stops between the ends of a train are wanted. */
  readonly stops: boolean;
} & (
  | {
      readonly tripIds: readonly string[];
      /** Trips of the way back. */
      readonly inboundTripIds?: readonly string[];
      readonly criteria?: undefined;
    }
  | { readonly criteria: OsdmCriteria; readonly tripIds?: undefined }
);

/** A question for the least prices of days. */
export interface OsdmOverviewRequest {
  readonly origin: string;
  readonly destination: string;
  readonly passengers: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Thrown within this file for the first thing that is wrong. */
class Refusal extends Error {
  readonly problem: OsdmProblem;
  constructor(pointer: string, code = 'INVALID_REQUEST') {
    super(code);
    this.problem = {
      status: 400,
      code,
      title: `Not as specified: ${pointer}`,
      pointers: [pointer],
    };
  }
}

/** Returns whether a value is a refusal. */
export function isProblem(value: object): value is OsdmProblem {
  return 'status' in value && 'code' in value;
}

/** Returns why the headers of a request are refused, `undefined` when they are not. */
export function refuseHeaders(headers: Readonly<IncomingHttpHeaders>): OsdmProblem | undefined {
  const { authorization = '', accept = '*/*' } = headers;
  if (!/^Bearer \S+$/.test(authorization)) {
    return { status: 401, code: 'UNAUTHORIZED', title: 'A bearer token is missing' };
  }
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) {
    return { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', title: 'Send application/json' };
  }
  if (!/application\/json|application\/\*|\*\/\*/.test(accept)) {
    return { status: 406, code: 'NOT_ACCEPTABLE', title: 'Answers are application/json' };
  }
  return undefined;
}

/** Reads the body of `POST /offers`. */
export function readOfferRequest(body: unknown): OsdmOfferRequest | OsdmProblem {
  return orProblem(() => {
    const request = fields(body, '#', offerFields);
    const passengers = passengersAt(request, 'anonymousPassengerSpecifications');
    const travelClasses = offerCriteria(request['offerSearchCriteria']);
    if (request['embed'] !== undefined) {
      for (const one of list(request['embed'], '#/embed')) {
        choice(one, '#/embed', ['ALL', 'OFFERS', 'TRIPS', 'NONE']);
      }
    }
    const parameters = fields(request['tripResponseParameters'] ?? {}, '#/tripResponseParameters', [
      'stopBehavior',
    ]);
    const stops = stopBehavior(parameters['stopBehavior'], '#/tripResponseParameters/stopBehavior');
    const { tripIds, tripSearchCriteria } = request;
    if ((tripIds === undefined) === (tripSearchCriteria === undefined)) throw new Refusal('#');
    if (tripIds === undefined && request['inboundTripIds'] !== undefined) throw new Refusal('#');
    if (tripIds === undefined) {
      const criteria = criteriaOf(tripSearchCriteria, '#/tripSearchCriteria');
      return { passengers, travelClasses, stops, criteria };
    }
    const ids = idsAt(request, 'tripIds');
    if (request['inboundTripIds'] === undefined) {
      return { passengers, travelClasses, stops, tripIds: ids };
    }
    const inboundTripIds = idsAt(request, 'inboundTripIds');
    return { passengers, travelClasses, stops, tripIds: ids, inboundTripIds };
  });
}

function idsAt(request: Fields, name: string): readonly string[] {
  const ids = list(request[name], `#/${name}`).map((id) => text(id, `#/${name}`));
  if (ids.length === 0) throw new Refusal(`#/${name}`);
  return ids;
}

/** Reads travellers, each with a reference of its own. */
function passengersAt(request: Fields, name: string): readonly string[] {
  const passengers = list(request[name], `#/${name}`).map((one, index) =>
    passenger(one, `#/${name}[${index}]`),
  );
  if (passengers.length === 0 || new Set(passengers).size < passengers.length) {
    throw new Refusal(`#/${name}`);
  }
  return passengers;
}

/** Reads the body of `POST /offer-overview-route`. */
export function readOverviewRequest(body: unknown): OsdmOverviewRequest | OsdmProblem {
  return orProblem(() => {
    const request = fields(body, '#', overviewFields);
    const passengers = passengersAt(request, 'passengerSpecifications');
    const route = fields(request['routeSpecification'], '#/routeSpecification', [
      'origin',
      'destination',
    ]);
    const origin = place(route['origin'], '#/routeSpecification/origin');
    const destination = place(route['destination'], '#/routeSpecification/destination');
    choice(request['timeFrameSegmentation'] ?? 'DAY', '#/timeFrameSegmentation', ['DAY']);
    const [startMs, endMs] = (['startDateTime', 'endDateTime'] as const).map((name) =>
      localTime(request[name], { pointer: `#/${name}`, uic: origin }),
    ) as [number, number];
    if (endMs <= startMs || endMs - startMs > MAX_OVERVIEW_MS) throw new Refusal('#/endDateTime');
    return { origin, destination, passengers, startMs, endMs };
  });
}

const MAX_OVERVIEW_MS = 62 * 86_400_000;
const overviewFields = [
  'routeSpecification',
  'passengerSpecifications',
  'startDateTime',
  'endDateTime',
  'timeFrameSegmentation',
  'travelClass',
  'flexibility',
];

/** Reads the criteria of a search, the body of `POST /trips-collections`. */
export function readCriteria(body: unknown, pointer: string): OsdmCriteria | OsdmProblem {
  return orProblem(() => criteriaOf(body, pointer));
}

/** Reads the parameter of the same name of `POST /trips-collections`: whether stops between the ends of a train are wanted. */
export function readStopBehavior(
  value: string | undefined,
): { readonly stops: boolean } | OsdmProblem {
  return orProblem(() => ({ stops: stopBehavior(value, 'stopBehavior') }));
}

function stopBehavior(value: unknown, pointer: string): boolean {
  if (value === undefined) return false;
  choice(value, pointer, ['ORIGIN_DESTINATION_ONLY', 'REAL_BOARDING_ALIGHTING']);
  return value === 'REAL_BOARDING_ALIGHTING';
}

const offerFields = [
  'tripIds',
  'inboundTripIds',
  'tripSearchCriteria',
  'tripResponseParameters',
  'offerSearchCriteria',
  'anonymousPassengerSpecifications',
  'requestedFulfillmentOptions',
  'corporateCodes',
  'promotionCodes',
  'embed',
];
const criteriaFields = [
  'departureTime',
  'arrivalTime',
  'origin',
  'destination',
  'vias',
  'parameters',
  'embed',
];
const parameterFields = [
  'dataFilter',
  'numberOfResultsBefore',
  'numberOfResultsAfter',
  'ignoreRealtimeData',
  'transferLimit',
];
const passengerFields = [
  'externalRef',
  'dateOfBirth',
  'age',
  'type',
  'cards',
  'gender',
  'residency',
  'prmNeeds',
];
const cardFields = ['code', 'number', 'issuer', 'type'];

function criteriaOf(value: unknown, pointer: string): OsdmCriteria {
  const criteria = fields(value, pointer, criteriaFields);
  const origin = place(criteria['origin'], `${pointer}/origin`);
  const destination = place(criteria['destination'], `${pointer}/destination`);
  const { departureTime, arrivalTime } = criteria;
  if ((departureTime === undefined) === (arrivalTime === undefined)) {
    throw new Refusal(pointer, 'EXACTLY_ONE_TIME');
  }
  const by = arrivalTime === undefined ? 'departure' : 'arrival';
  const atMs = localTime(departureTime ?? arrivalTime, {
    pointer: `${pointer}/${by}Time`,
    uic: by === 'departure' ? origin : destination,
  });
  const parameters = fields(criteria['parameters'] ?? {}, `${pointer}/parameters`, parameterFields);
  const count = (name: string, fallback?: number): number | undefined => {
    const number = parameters[name] ?? fallback;
    if (number === undefined) return undefined;
    if (Number.isInteger(number) && (number as number) >= 0) return number as number;
    throw new Refusal(`${pointer}/parameters/${name}`);
  };
  const vias = list(criteria['vias'] ?? [], `${pointer}/vias`);
  const [via, ...others] = vias.map((one, index) => {
    const at = `${pointer}/vias[${index}]`;
    return place(fields(one, at, ['viaPlace', 'dwellTime'])['viaPlace'], `${at}/viaPlace`);
  });
  if (others.length > 0) throw new Refusal(`${pointer}/vias`, 'ONE_VIA_ONLY');
  return {
    pointer,
    origin,
    destination,
    atMs,
    by,
    before: count('numberOfResultsBefore', 0) ?? 0,
    after: count('numberOfResultsAfter', 5) ?? 0,
    via,
    transferLimit: count('transferLimit'),
  };
}

/** Reads a reference to a station of the network. */
function place(value: unknown, pointer: string): string {
  const { objectType, stopPlaceRef } = fields(value, pointer, ['objectType', 'stopPlaceRef']);
  choice(objectType, `${pointer}/objectType`, ['StopPlaceRef']);
  const uic = /^urn:uic:stn:(\d{7})$/.exec(text(stopPlaceRef, pointer))?.[1];
  if (uic === undefined || !findStation(uic)) throw new Refusal(pointer, 'PLACE_UNKNOWN');
  return uic;
}

/** Reads a time with the offset that the clocks of its stop have; UTC will not do. */
function localTime(
  value: unknown,
  { pointer, uic }: { readonly pointer: string; readonly uic: string },
): number {
  const timestamp = text(value, pointer);
  const ms = Date.parse(timestamp);
  const zone = findStation(uic)?.zone;
  if (Number.isNaN(ms) || zone === undefined || localTimeAt(ms, zone).timestamp !== timestamp) {
    throw new Refusal(pointer, 'TIME_IS_NOT_LOCAL');
  }
  return ms;
}

function passenger(value: unknown, pointer: string): string {
  const { externalRef, type, age, dateOfBirth, cards } = fields(value, pointer, passengerFields);
  text(type, `${pointer}/type`);
  const isAged = Number.isInteger(age) && (age as number) >= 0;
  if (age === undefined ? typeof dateOfBirth !== 'string' : !isAged) {
    throw new Refusal(`${pointer}/age`);
  }
  for (const card of list(cards ?? [], `${pointer}/cards`)) {
    const { code, type: kind } = fields(card, `${pointer}/cards`, cardFields);
    text(kind, `${pointer}/cards/type`);
    if (code !== undefined) text(code, `${pointer}/cards/code`);
  }
  return text(externalRef, `${pointer}/externalRef`);
}

/** Returns the classes that offers are wanted of. */
function offerCriteria(value: unknown): readonly string[] | undefined {
  const pointer = '#/offerSearchCriteria';
  const known = ['currency', 'travelClasses', 'offerMode', 'flexibilities', 'requestedOfferParts'];
  const { currency, travelClasses, offerMode } = fields(value ?? {}, pointer, known);
  if (currency !== undefined && !/^[A-Z]{3}$/.test(text(currency, pointer))) {
    throw new Refusal(`${pointer}/currency`);
  }
  if (offerMode !== undefined) {
    choice(offerMode, `${pointer}/offerMode`, ['COLLECTIVE', 'INDIVIDUAL']);
  }
  if (travelClasses === undefined) return undefined;
  return list(travelClasses, `${pointer}/travelClasses`).map((one) => text(one, pointer));
}

function fields(value: unknown, pointer: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(pointer);
  }
  const other = Object.keys(value).find((name) => !known.includes(name));
  if (other !== undefined) throw new Refusal(`${pointer}/${other}`, 'UNKNOWN_ATTRIBUTE');
  return value as Fields;
}

function list(value: unknown, pointer: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Refusal(pointer);
}

function text(value: unknown, pointer: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal(pointer);
}

function choice(value: unknown, pointer: string, known: readonly string[]): void {
  if (!known.includes(value as string)) throw new Refusal(pointer);
}

function orProblem<T extends object>(read: () => T): T | OsdmProblem {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw error;
  }
}
