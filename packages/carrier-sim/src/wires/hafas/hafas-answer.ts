import { europeanOperators } from '../../timetable/europe/carriers.ts';
import { localTimeAt, type Zone } from '../../timetable/local-clock.ts';
import { stationOf } from '../../timetable/network.ts';
import type { SimStation } from '../../timetable/sim-station.ts';
import type { Train, TrainRun } from '../../timetable/train.ts';
import { expectedEnds, isMissed, lateMs, runsOf, type Walks } from '../trip-times.ts';
import {
  changeFields,
  coupledTrains,
  endFields,
  type HafasList,
  instantsBetween,
  journeyMessages,
  passList,
  runMessages,
} from './hafas-details.ts';
import { encodeFares, type FaresEncoding } from './hafas-fares.ts';

/** The zone of the server, of its questions. Times without an offset are on the clocks of their stops, as real servers write them. */
export const hafasZone: Zone = 'Europe/Berlin';

/** Options for writing an answer. */
export interface HafasEncoding extends FaresEncoding {
  /** True if times have their offset. Default true. */
  readonly offsets?: boolean | undefined;
  /** True if connections have fares. Default true. */
  readonly fares?: boolean | undefined;
  /** Walks to and from addresses, which have no number. Default: none. */
  readonly walks?: Walks | undefined;
  /** True if every train leaves from a stop near the station. Default false. */
  readonly nearby?: boolean | undefined;
  /** True if trains have the stations where they call on the way. Default false. */
  readonly stops?: boolean | undefined;
  /** The contexts of the pages before and after. */
  readonly earlier?: string | undefined;
  readonly later?: string | undefined;
}

/** The bit of each brand among the products; others have that of high-speed trains. */
const productBits: Readonly<Partial<Record<string, number>>> = { EC: 2, IC: 2 };

/** Returns the bit of a train's product. */
export function productBitOf({ brand }: Pick<TrainRun, 'brand'>): number {
  return productBits[brand] ?? 1;
}

/** Returns the answer of a HAFAS server to a search: JSON with prices in euro cents for one person. */
export function encodeHafas(trains: readonly Train[], encoding: HafasEncoding = {}): string {
  const lists = createLists();
  const connections = trains.map((train, index) =>
    encodeConnection(train, lists, index === 0 ? encoding : { ...encoding, fault: undefined }),
  );
  const found = {
    common: {
      locL: lists.locations,
      prodL: lists.products,
      opL: lists.operators,
      remL: lists.remarks,
      himL: lists.messages,
      icoL: lists.icons,
    },
    outConL: connections,
    ...(encoding.earlier !== undefined && { outCtxScrB: encoding.earlier }),
    ...(encoding.later !== undefined && { outCtxScrF: encoding.later }),
    fpB: '20260101',
    fpE: '20361231',
  };
  const before =
    encoding.fault === 'other-method' ? [{ meth: 'ServerInfo', err: 'H_UNKNOWN' }] : [];
  return hafasService('OK', found, { before });
}

interface HafasServiceOptions {
  readonly errTxt?: string;
  /** Answers of other methods. */
  readonly before?: readonly object[];
}

/** Returns an envelope with the answer of a search, or its error. */
export function hafasService(
  err: string,
  res?: object,
  { errTxt, before = [] }: HafasServiceOptions = {},
): string {
  const service = {
    meth: 'TripSearch',
    err,
    ...(errTxt !== undefined && { errTxt }),
    ...(res && { res }),
  };
  return JSON.stringify({
    ver: '1.45',
    lang: 'deu',
    id: 'simulated',
    err: 'OK',
    svcResL: [...before, service],
  });
}

type ListName = 'locations' | 'products' | 'operators' | HafasList;

interface Lists extends Readonly<Record<ListName, object[]>> {
  /** Returns the place of an entry in its list, which is made when it is new. */
  indexOf(list: ListName, key: string, make: () => object): number;
}

function createLists(): Lists {
  const known = new Map<string, number>();
  const lists: Lists = {
    locations: [],
    products: [],
    operators: [],
    remarks: [],
    messages: [],
    icons: [],
    indexOf(list, key, make) {
      const index = known.get(`${list} ${key}`) ?? lists[list].push(make()) - 1;
      known.set(`${list} ${key}`, index);
      return index;
    },
  };
  return lists;
}

/** A station, a stop near it that no list of stations has, or an address there, which has no number. */
interface HafasPlace {
  readonly station: SimStation;
  readonly kind: 'station' | 'nearby' | 'address';
}

function placeAt(uic: string): HafasPlace {
  return { station: stationOf(uic), kind: 'station' };
}

function addressAt(uic: string): HafasPlace {
  return { station: stationOf(uic), kind: 'address' };
}

function locate(lists: Lists, { station, kind }: HafasPlace): number {
  const { uic, ibnr = '', name, latitude = 0, longitude = 0 } = station;
  const [x, y] = [Math.round(longitude * 1e6) + 1500, Math.round(latitude * 1e6)];
  return lists.indexOf('locations', `${kind} ${uic}`, () => {
    if (kind === 'address') {
      const lane = `${name}, Lane 3`;
      return { lid: `A=2@O=${lane}@X=${x}@Y=${y}@`, type: 'A', name: lane, crd: { x, y } };
    }
    if (kind === 'nearby') {
      const [stop, code] = [`${name} Forecourt`, `9${ibnr.slice(1)}`];
      const lid = `A=1@O=${stop}@X=${x}@Y=${y}@U=80@L=${code}@`;
      return { lid, type: 'S', name: stop, extId: code, crd: { x, y } };
    }
    const crd = { x: x - 1500, y };
    return {
      lid: `A=1@O=${name}@X=${crd.x}@Y=${y}@U=80@L=${ibnr}@`,
      type: 'S',
      name,
      extId: ibnr,
      globalIdL: [{ id: uic, type: 'U' }],
      crd,
    };
  });
}

interface Instant {
  readonly ms: number;
  readonly station: SimStation;
}

/** Writes the times of one connection: its day, and each time as a count of days after it and the time of day. */
function createTimes(instants: readonly Instant[], withOffsets: boolean) {
  const localAt = ({ ms, station }: Instant) => localTimeAt(ms, station.zone);
  // Over a zone border the first date may be that of the arrival.
  const [date = ''] = instants.map((instant) => localAt(instant).date).sort();
  return {
    date: date.replaceAll('-', ''),
    write(instant: Instant): string {
      const local = localAt(instant);
      const days = (Date.parse(local.date) - Date.parse(date)) / 86_400_000;
      const count = days === 0 ? '' : String(days).padStart(2, '0');
      return `${count}${local.time.replace(':', '')}00`;
    },
    offset({ ms, station }: Instant): number | undefined {
      if (!withOffsets) return undefined;
      const [, hours, minutes] =
        /\+(\d\d):(\d\d)$/.exec(localTimeAt(ms, station.zone).timestamp) ?? [];
      return Number(hours) * 60 + Number(minutes);
    },
  };
}

function encodeConnection(train: Train, lists: Lists, encoding: HafasEncoding): object {
  const { offsets = true, fares = true, nearby = false, fault } = encoding;
  const walks = fault === 'zero-offset' ? { before: 5, after: 0 } : encoding.walks;
  const runs = runsOf(train);
  const [first, last] = [runs[0], runs.at(-1) ?? runs[0]];
  const { startMs, endMs } = expectedEnds(train, walks);
  const [origin, destination] = [placeAt(first.origin), placeAt(last.destination)];
  const between = encoding.stops ? runs.flatMap(instantsBetween) : [];
  const times = createTimes(
    [
      ...between.map(({ ms, uic }): Instant => ({ ms, station: stationOf(uic) })),
      { ms: startMs, station: origin.station },
      { ms: endMs, station: destination.station },
      ...runs.flatMap((run): readonly Instant[] => {
        const [from, to] = [stationOf(run.origin), stationOf(run.destination)];
        return [0, lateMs(run)].flatMap((ms) => [
          { ms: run.departureMs + ms, station: from },
          { ms: run.arrivalMs + ms, station: to },
        ]);
      }),
    ],
    offsets,
  );
  const end = (prefix: 'd' | 'a', place: HafasPlace, ms: number, run?: TrainRun): object => {
    const instant = { ms, station: place.station };
    const expected = run?.delayMinutes !== undefined && { ...instant, ms: ms + lateMs(run) };
    return {
      locX: locate(lists, place),
      [`${prefix}TimeS`]: times.write(instant),
      ...(expected && { [`${prefix}TimeR`]: times.write(expected) }),
      ...(offsets && { [`${prefix}TZOffset`]: times.offset(instant) }),
      ...(run?.cancelled && { [`${prefix}Cncl`]: true }),
      type: 'N',
    };
  };
  const way = (type: string, from: Stay, to: Stay): object => ({
    type,
    dep: end('d', ...from),
    arr: end('a', ...to),
  });
  const start = nearby ? { ...origin, kind: 'nearby' as const } : origin;
  const sections: object[] = [];
  if (nearby) {
    // A server counts the way from the station as minutes, and not as part of the duration.
    sections.push(
      way('DEVI', [origin, first.departureMs - 5 * 60_000], [start, first.departureMs]),
    );
  }
  if (walks !== undefined && walks.before > 0) {
    const startsMs = startMs + walks.before * 60_000;
    const walk = way('WALK', [addressAt(first.origin), startMs], [start, startsMs]);
    sections.push(fault === 'zero-offset' ? withZeroOffset(walk) : walk);
  }
  runs.forEach((run, index) => {
    const before = runs[index - 1];
    const from = run === first ? start : placeAt(run.origin);
    if (before && before.destination !== run.origin) {
      const arrivesMs = Math.max(before.arrivalMs, run.departureMs - 5 * 60_000);
      sections.push(
        way('TRSF', [placeAt(before.destination), before.arrivalMs], [from, arrivesMs]),
      );
    }
    const platforms = endFields(run);
    sections.push({
      type: 'JNY',
      dep: { ...end('d', from, run.departureMs, run), ...platforms.d },
      arr: { ...end('a', placeAt(run.destination), run.arrivalMs, run), ...platforms.a },
      ...changeFields(run, runs[index + 1]),
      ...coupledTrains(run, (other) => productOf(lists, other)),
      jny: {
        jid: `1|${run.number}|0|80|${times.date}`,
        prodX: productOf(lists, run),
        isCncl: run.cancelled ?? false,
        ...(before && { isRchbl: !isMissed(before, run) }),
        trainStartDate: run.date.replaceAll('-', ''),
        ...runMessages(run, lists.indexOf, fault === 'on-demand'),
        ...(encoding.stops &&
          passList(run, (prefix, uic, ms) => end(prefix, placeAt(uic), ms, run))),
      },
    });
  });
  if (walks !== undefined && walks.after > 0) {
    const arrivesMs = endMs - walks.after * 60_000;
    sections.push(way('WALK', [destination, arrivesMs], [addressAt(last.destination), endMs]));
  }
  if (fault === 'devi') {
    sections.push(way('DEVI', [destination, last.arrivalMs], [destination, last.arrivalMs]));
  }
  if (fault === 'unknown-section') sections.push({ ...sections.at(-1), type: 'PARK' });
  const tariff = fares && fault !== 'no-fares' ? encodeFares(train, encoding) : undefined;
  return {
    cid: `C-${train.number}`,
    date: times.date,
    dur: writeDuration(endMs - startMs),
    chg: runs.length - 1,
    secL: sections,
    ...journeyMessages(train, lists.indexOf),
    ...(tariff && { trfRes: tariff }),
  };
}

type Stay = readonly [place: HafasPlace, ms: number];

/** Servers write 0 at one end of a walk where they do not know the offset. */
function withZeroOffset(walk: object): object {
  const { dep } = walk as { readonly dep: object };
  return { ...walk, dep: { ...dep, dTZOffset: 0 } };
}

function writeDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  const digits = (value: number): string => String(value).padStart(2, '0');
  return `${days > 0 ? digits(days) : ''}${digits(hours)}${digits(minutes % 60)}00`;
}

function productOf(lists: Lists, run: TrainRun): number {
  const { brand, number, operator } = run;
  const { name } = europeanOperators[operator as keyof typeof europeanOperators];
  const oprX = lists.indexOf('operators', name, () => ({ name, icoX: 0 }));
  return lists.indexOf('products', `${brand} ${number}`, () => ({
    name: `${brand} ${number}`,
    ...shortName(run),
    number,
    icoX: 0,
    cls: productBitOf(run),
    oprX,
    prodCtx: {
      name: `${brand} ${number.padStart(5)}`,
      num: number,
      catOut: brand.padEnd(8),
      catOutS: brand,
    },
  }));
}

/** Servers write category and number in it, with a space or without, or leave it out. */
function shortName({ brand, number }: TrainRun): { readonly nameS?: string } {
  const kind = Number(number) % 3;
  return kind === 0 ? {} : { nameS: `${brand}${kind === 1 ? ' ' : ''}${number}` };
}
