import { europeanOperators } from '../timetable/europe/carriers.ts';
import { localTimeAt, type Zone } from '../timetable/local-clock.ts';
import { type SimStation, stationOf } from '../timetable/network.ts';
import type { Train, TrainRun } from '../timetable/train.ts';

/** The zone of the server, of its questions. Times without an offset are on the clocks of their stops, as real servers write them. */
export const hafasZone: Zone = 'Europe/Berlin';

/** How an answer is written. */
export interface HafasEncoding {
  /** Whether times have their offset. Default true. */
  readonly offsets?: boolean | undefined;
  /** Whether connections have fares. Default true. */
  readonly fares?: boolean | undefined;
  /** The contexts of the pages before and after. */
  readonly earlier?: string | undefined;
  readonly later?: string | undefined;
  /** A fault of the wire, which changes the first connection. */
  readonly fault?: string | undefined;
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
    common: { locL: lists.locations, prodL: lists.products, opL: lists.operators },
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

interface Lists {
  readonly locations: object[];
  readonly products: object[];
  readonly operators: object[];
  /** Returns the place of an entry in its list, which is made when it is new. */
  indexOf(list: 'locations' | 'products' | 'operators', key: string, make: () => object): number;
}

function createLists(): Lists {
  const known = new Map<string, number>();
  const lists: Lists = {
    locations: [],
    products: [],
    operators: [],
    indexOf(list, key, make) {
      const index = known.get(`${list} ${key}`) ?? lists[list].push(make()) - 1;
      known.set(`${list} ${key}`, index);
      return index;
    },
  };
  return lists;
}

function locate(lists: Lists, uic: string): number {
  const { ibnr = '', name, latitude = 0, longitude = 0 } = stationOf(uic);
  const [x, y] = [Math.round(longitude * 1e6), Math.round(latitude * 1e6)];
  return lists.indexOf('locations', uic, () => ({
    lid: `A=1@O=${name}@X=${x}@Y=${y}@U=80@L=${ibnr}@`,
    type: 'S',
    name,
    extId: ibnr,
    globalIdL: [{ id: uic, type: 'U' }],
    crd: { x, y },
  }));
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
  const { offsets = true, fares = true, fault } = encoding;
  const runs = train.connection ?? [train];
  const instants = runs.flatMap((run): readonly Instant[] => {
    const lateMs = (run.delayMinutes ?? 0) * 60_000;
    const [from, to] = [stationOf(run.origin), stationOf(run.destination)];
    return [0, lateMs].flatMap((ms) => [
      { ms: run.departureMs + ms, station: from },
      { ms: run.arrivalMs + ms, station: to },
    ]);
  });
  const times = createTimes(instants, offsets);
  const end = (prefix: 'd' | 'a', uic: string, ms: number, run?: TrainRun): object => {
    const instant = { ms, station: stationOf(uic) };
    const late = run?.delayMinutes;
    const expected = late === undefined ? undefined : { ...instant, ms: ms + late * 60_000 };
    return {
      locX: locate(lists, uic),
      [`${prefix}TimeS`]: times.write(instant),
      ...(expected && { [`${prefix}TimeR`]: times.write(expected) }),
      ...(offsets && { [`${prefix}TZOffset`]: times.offset(instant) }),
      ...(run?.cancelled && { [`${prefix}Cncl`]: true }),
      type: 'N',
    };
  };
  const sections: object[] = [];
  runs.forEach((run, index) => {
    const before = runs[index - 1];
    if (before && before.destination !== run.origin) {
      sections.push({
        type: 'TRSF',
        dep: end('d', before.destination, before.arrivalMs),
        arr: end('a', run.origin, run.departureMs - 5 * 60_000),
      });
    }
    sections.push({
      type: 'JNY',
      dep: end('d', run.origin, run.departureMs, run),
      arr: end('a', run.destination, run.arrivalMs, run),
      jny: {
        jid: `1|${run.number}|0|80|${times.date}`,
        prodX: productOf(lists, run),
        isCncl: run.cancelled ?? false,
        trainStartDate: run.date.replaceAll('-', ''),
      },
    });
  });
  const first = runs[0];
  if (fault === 'zero-offset') {
    const walk = end('d', first.origin, first.departureMs - 10 * 60_000);
    const arrival = end('a', first.origin, first.departureMs - 10 * 60_000 + WALK_MS);
    sections.unshift({ type: 'WALK', dep: { ...walk, dTZOffset: 0 }, arr: arrival });
  }
  if (fault === 'devi') {
    const last = runs.at(-1) ?? first;
    const at = [last.destination, last.arrivalMs] as const;
    sections.push({ type: 'DEVI', dep: end('d', ...at), arr: end('a', ...at) });
  }
  if (fault === 'unknown-section') sections.push({ ...sections.at(-1), type: 'PARK' });
  const tariff = fares && fault !== 'no-fares' ? encodeFares(train, fault) : undefined;
  return {
    cid: `C-${train.number}`,
    date: times.date,
    dur: writeDuration(durationMs(runs) + (fault === 'zero-offset' ? WALK_MS : 0)),
    chg: runs.length - 1,
    secL: sections,
    ...(tariff && { trfRes: tariff }),
  };
}

const WALK_MS = 5 * 60_000;

/** Servers count from door to door, and as things are expected. */
function durationMs(runs: readonly TrainRun[]): number {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const lateMs = ((last.delayMinutes ?? 0) - (first.delayMinutes ?? 0)) * 60_000;
  return last.arrivalMs - first.departureMs + lateMs;
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

/** One set for each fare; nothing when none is known. */
function encodeFares({ fares }: Train, fault: string | undefined): object | undefined {
  const own = fares.filter(({ seller }) => seller === 'hafas');
  if (own.length === 0) return undefined;
  if (fault === 'tickets') return encodeTickets(Math.min(...own.map(({ cents }) => cents)));
  const fareSetL = own.map(({ name, cents }) => ({
    fareL: [
      {
        name,
        price: { amount: fault === 'negative-price' ? -1 : cents },
        isFromPrice: true,
        isPartPrice: false,
        isBookable: true,
      },
    ],
  }));
  return { statusCode: 'OK', fareSetL };
}

/** As servers of transport associations write them: tickets of all kinds with their price, and the total that one adult pays. */
function encodeTickets(cents: number): object {
  const price = (amount: number): object => ({ price: { amount, currency: 'EUR' } });
  return {
    statusCode: 'OK',
    totalPrice: { amount: cents, currency: 'EUR', prefix: 'ab' },
    fareSetL: [
      {
        desc: 'Zone 1 bis 3',
        fareL: [
          { name: 'Komfortzuschlag', ...price(Math.round(cents / 4)) },
          { name: 'Einzelfahrschein', ...price(cents) },
          {
            name: 'Einzelfahrschein Kind',
            desc: '6 bis 14 Jahre',
            ...price(Math.round(cents / 2)),
          },
          { name: 'Monatskarte', ...price(cents * 20) },
        ],
      },
    ],
  };
}
