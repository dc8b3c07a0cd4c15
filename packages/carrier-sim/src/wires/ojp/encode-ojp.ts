import { europeanOperators } from '../../timetable/europe/carriers.ts';
import type { EuropeanOperator } from '../../timetable/europe/lines.ts';
import { describeRun, shortestChange } from '../../timetable/europe/run-details.ts';
import { sloidOf } from '../../timetable/europe/stations.ts';
import { stationOf } from '../../timetable/network.ts';
import type { Train, TrainRun } from '../../timetable/train.ts';
import { changeMs, expectedEnds, lateMs, partsOf, runsOf, type Walks } from '../trip-times.ts';
import {
  attributes,
  bookingArrangements,
  emissions,
  intermediates,
  type OjpWriter,
  operatorName,
  parallelServices,
  quays,
  runReferences,
  situations,
  track,
  tripReferences,
} from './ojp-details.ts';

/** Options for writing an answer. */
export interface OjpEncoding {
  /** `1.0`: names and prefixes of that version, where SIRI has no prefix. Default `2.0`. */
  readonly version?: '1.0' | '2.0' | undefined;
  /** Adds stops in between to rides until the answer has that many bytes. Default 0. */
  readonly bytes?: number | undefined;
  /**
   * Names of stops. `parents`: platforms, those abroad by opaque references, with the number of their station beside them;
   * `opaque`: opaque references alone. Default `parents`.
   */
  readonly references?: 'parents' | 'opaque' | undefined;
  /** Place of the number of a train: in `TrainNumber`, or in its name alone. Default `own`. */
  readonly numbers?: 'own' | 'named' | undefined;
  /** Walks to and from addresses, which have a position alone. Default: none. */
  readonly walks?: Walks | undefined;
  /** True if trains have the stations where they call on the way. Default false. */
  readonly stops?: boolean | undefined;
  /** True if trains run only when they were booked. Default false. */
  readonly onDemand?: boolean | undefined;
}

type Style = Required<Pick<OjpEncoding, 'references' | 'numbers'>> &
  Pick<OjpEncoding, 'walks' | 'onDemand'> & { readonly calls: boolean };

const minuteMs = 60_000;
const ROOT =
  '<OJP xmlns="http://www.vdv.de/ojp" xmlns:siri="http://www.siri.org.uk/siri" version="2.0">';
// The time of an answer is none of the timetable's: equal questions have equal bytes.
const stamp = '2026-01-01T00:00:00Z';

/**
 * Returns the answer of an OJP server to a trip request. It has no prices.
 *
 * @throws RangeError when no network has a station.
 */
export function encodeOjp(
  trains: readonly Train[],
  {
    version = '2.0',
    bytes = 0,
    references = 'parents',
    numbers = 'own',
    walks,
    stops: calls = false,
    onDemand,
  }: OjpEncoding = {},
): string {
  const style: Style = { references, numbers, walks, onDemand, calls };
  const parts = trains.flatMap((train) => runsOf(train).flatMap(partsOf));
  const stations = [
    ...new Set(
      parts.flatMap((run) => [
        run.origin,
        run.destination,
        ...(calls ? describeRun(run).stops.map(({ station }) => station) : []),
      ]),
    ),
  ];
  const told = situations(trains, parts, writerOf(style));
  const places = stations.flatMap((uic) => placesOf(uic, style)).join('');
  const write = (stops: string): string =>
    delivery(
      `<siri:Status>true</siri:Status><CalcTime>12</CalcTime><TripResponseContext><Places>${places}</Places>${told}</TripResponseContext>${trains
        .map((train, index) => tripOf(train, index, { ...style, stops }))
        .join('')}`,
    );
  const small = write('');
  const rides = parts.length;
  const missing = bytes - Buffer.byteLength(small);
  const each = missing > 0 && rides > 0 ? Math.ceil(missing / rides) : 0;
  const answer = each > 0 ? write(stopsOf(each)) : small;
  return version === '2.0' ? withoutBuffers(answer) : inVersion1(answer);
}

/** Returns an answer that has an error instead of trips; in 1.0 the type of the error is its description. */
export function encodeOjpError(type: string, text: string, version = '2.0'): string {
  if (version === '1.0') {
    return inVersion1(
      delivery(
        `<siri:Status>false</siri:Status><siri:ErrorCondition><siri:OtherError></siri:OtherError><siri:Description>${type}</siri:Description></siri:ErrorCondition>`,
      ),
    );
  }
  const problem = type.startsWith('TRIP_') ? 'TripProblemType' : 'OJPGenericProblemType';
  return delivery(
    `<siri:Status>false</siri:Status><siri:ErrorCondition><OJPError><siri:ErrorText>${escaped(text)}</siri:ErrorText><${problem}>${type}</${problem}></OJPError></siri:ErrorCondition>`,
  );
}

function delivery(content: string): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    ROOT,
    `<OJPResponse><siri:ServiceDelivery><siri:ResponseTimestamp>${stamp}</siri:ResponseTimestamp>`,
    '<siri:ProducerRef>carrier-sim</siri:ProducerRef><siri:Status>true</siri:Status>',
    `<OJPTripDelivery><siri:ResponseTimestamp>${stamp}</siri:ResponseTimestamp>${content}</OJPTripDelivery>`,
    '</siri:ServiceDelivery></OJPResponse></OJP>\n',
  ].join('');
}

/** The reference of a platform: in Switzerland a location id, elsewhere an opaque one of 170 characters, as journey planners of several countries have. */
function platformOf(uic: string, { references }: Style): string {
  const sloid = references === 'opaque' ? undefined : sloidOf(uic);
  return sloid === undefined ? opaqueOf(uic) : `${sloid}:1:2`;
}

function opaqueOf(uic: string): string {
  const { name } = stationOf(uic);
  const text = `A=1@O=${name.padEnd(60)}@L=x${uic}@p=platform of a stop of another planner`;
  return Buffer.from(text).toString('base64').padEnd(170, '=').slice(0, 170);
}

function placesOf(uic: string, style: Style): readonly string[] {
  const { name } = stationOf(uic);
  const rest = `<Name>${textOf(name)}</Name>${positionOf(uic)}</Place>`;
  const isOpaque = style.references === 'opaque';
  const parent = isOpaque ? '' : `<ParentRef>${uic}</ParentRef>`;
  const platform = `<Place><StopPoint><siri:StopPointRef>${platformOf(uic, style)}</siri:StopPointRef><StopPointName>${textOf(name)}</StopPointName>${parent}</StopPoint>${rest}`;
  const station = `<Place><StopPlace><StopPlaceRef>${uic}</StopPlaceRef><StopPlaceName>${textOf(name)}</StopPlaceName></StopPlace>${rest}`;
  return isOpaque ? [platform] : [platform, station];
}

function positionOf(uic: string): string {
  const { longitude = 0, latitude = 0 } = stationOf(uic);
  return `<GeoPosition><siri:Longitude>${longitude.toFixed(5)}</siri:Longitude><siri:Latitude>${latitude.toFixed(5)}</siri:Latitude></GeoPosition>`;
}

function tripOf(train: Train, index: number, style: TripStyle): string {
  const id = `<Id>r${index + 1}</Id>`;
  const runs = runsOf(train);
  const { walks } = style;
  const { startMs, endMs } = expectedEnds(train, walks);
  const [first, last] = [runs[0], runs.at(-1) ?? runs[0]];
  const address = (uic: string): string =>
    `${positionOf(uic)}<Name>${textOf(`${stationOf(uic).name}, Lane 3`)}</Name>`;
  const stop = (uic: string): string => stopRef(uic, style);
  const legs = runs.flatMap((run, place) => {
    const before = runs[place - 1];
    const rides = partsOf(run).flatMap((part, section, parts) => {
      const stayed = parts[section - 1];
      const ride = timedLeg(part, style) + emissions(part);
      return stayed === undefined ? [ride] : [stayLeg(stayed, part, style), ride];
    });
    return before === undefined ? rides : [changeLeg(before, run, style), ...rides];
  });
  if (walks !== undefined) {
    const before = { type: 'walk', from: address(first.origin), to: stop(first.origin) };
    const after = { type: 'walk', from: stop(last.destination), to: address(last.destination) };
    if (walks.before > 0) legs.unshift(transferLeg({ ...before, ms: walks.before * minuteMs }));
    if (walks.after > 0) legs.push(transferLeg({ ...after, ms: walks.after * minuteMs }));
  }
  return [
    `<TripResult>${id}<Trip>${id}<Duration>${durationOf(endMs - startMs)}</Duration>`,
    `<StartTime>${instant(startMs)}</StartTime><EndTime>${instant(endMs)}</EndTime>`,
    `<Transfers>${runs.length - 1}</Transfers>`,
    ...legs.map((leg, place) => `<Leg><Id>${place + 1}</Id>${leg}</Leg>`),
    tripReferences(train),
    '</Trip></TripResult>',
  ].join('');
}

type TripStyle = Style & { readonly stops: string };

/** A change of trains is of several types, and each is one. */
const changeTypes = ['walk', 'protectedConnection', 'guaranteedConnection', 'checkIn'];
const stayTypes = ['remainInVehicle', 'changeWithinVehicle'];

function changeLeg(before: TrainRun, after: TrainRun, style: Style): string {
  const [from, to] = [stopRef(before.destination, style), stopRef(after.origin, style)];
  const ms = changeMs(before, after);
  const walkMs = Math.min(ms, shortestChange(before, after) * minuteMs);
  return transferLeg({
    type: typeOf(changeTypes, after),
    from,
    to,
    ms: walkMs,
    bufferMs: ms - walkMs,
  });
}

function stayLeg(before: TrainRun, after: TrainRun, style: Style): string {
  const at = stopRef(after.origin, style);
  const ms = after.departureMs - before.arrivalMs;
  return transferLeg({ type: typeOf(stayTypes, after), from: at, to: at, ms });
}

function typeOf(types: readonly string[], { number }: TrainRun): string {
  return types[Math.floor(Number(number) / 2) % types.length] ?? 'walk';
}

function stopRef(uic: string, style: Style): string {
  return `<siri:StopPointRef>${platformOf(uic, style)}</siri:StopPointRef><Name>${textOf(stationOf(uic).name)}</Name>`;
}

interface Way {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  /** Further milliseconds of waiting, which 1.0 has in its duration. */
  readonly bufferMs?: number;
}

function transferLeg({ type, from, to, ms, bufferMs }: Way): string {
  const buffer =
    bufferMs === undefined
      ? ''
      : `<WalkDuration>${durationOf(ms)}</WalkDuration><BufferTime>${durationOf(bufferMs)}</BufferTime>`;
  return `<TransferLeg><TransferType>${type}</TransferType><LegStart>${from}</LegStart><LegEnd>${to}</LegEnd><Duration>${durationOf(ms)}</Duration>${buffer}</TransferLeg>`;
}

function writerOf(style: Style): OjpWriter {
  return { reference: (uic) => platformOf(uic, style), instant, escaped };
}

function timedLeg(run: TrainRun, style: TripStyle): string {
  const writer = writerOf(style);
  const { departurePlatform, arrivalPlatform, stops } = describeRun(run);
  const call = (uic: string, side: 'Departure' | 'Arrival', ms: number): string => {
    const expected =
      run.delayMinutes === undefined
        ? ''
        : `<EstimatedTime>${instant(ms + lateMs(run))}</EstimatedTime>`;
    const platform = side === 'Departure' ? departurePlatform : arrivalPlatform;
    return `<siri:StopPointRef>${platformOf(uic, style)}</siri:StopPointRef><StopPointName>${textOf(stationOf(uic).name)}</StopPointName>${quays(platform, writer)}<Service${side}><TimetabledTime>${instant(ms)}</TimetabledTime>${expected}</Service${side}>`;
  };
  const { name = '' } = europeanOperators[run.operator as EuropeanOperator] ?? {};
  return [
    `<TimedLeg><LegBoard>${call(run.origin, 'Departure', run.departureMs)}<Order>1</Order></LegBoard>`,
    style.calls ? intermediates(run, writer) : style.stops,
    `<LegAlight>${call(run.destination, 'Arrival', run.arrivalMs)}<Order>${stops.length + 2}</Order></LegAlight>`,
    serviceOf(run, style),
    parallelServices(run, writer),
    operatorName(name, writer),
    track(run, writer),
    '</TimedLeg>',
  ].join('');
}

function serviceOf(run: TrainRun, style: Style): string {
  const { number, brand, line, operator, date, cancelled } = run;
  const { numbers, onDemand } = style;
  const writer = writerOf(style);
  const rics = europeanOperators[operator as EuropeanOperator]?.rics ?? '';
  const isNamed = numbers === 'named';
  const name = isNamed ? `${brand} ${number}` : (line ?? `${brand} ${number}`);
  return [
    `<Service><OperatingDayRef>${date}</OperatingDayRef><JourneyRef>sim:${brand}:${number}</JourneyRef>`,
    `<siri:LineRef>sim:${brand}</siri:LineRef><Mode><PtMode>rail</PtMode><ShortName>${textOf(brand)}</ShortName></Mode>`,
    `<PublishedServiceName>${textOf(name)}</PublishedServiceName>${isNamed ? '' : `<TrainNumber>${number}</TrainNumber>`}`,
    attributes(run, writer),
    `<OperatorRefs><OperatorRef>${rics}</OperatorRef></OperatorRefs>`,
    `${cancelled ? '<Cancelled>true</Cancelled>' : ''}${onDemand ? bookingArrangements(writer) : ''}`,
    `${runReferences(run)}</Service>`,
  ].join('');
}

/** Stops in between and attributes, as a real answer has them: some 68 bytes per element. */
function stopsOf(bytes: number): string {
  const stop = (order: number): string =>
    `<LegIntermediate><siri:StopPointRef>ch:1:sloid:${1000 + (order % 8000)}:0:${order % 20}</siri:StopPointRef><StopPointName><Text xml:lang="de">Halt ${order} an der langen Strecke</Text></StopPointName><PlannedQuay><Text xml:lang="de">${order % 20}</Text></PlannedQuay><ServiceArrival><TimetabledTime>2026-01-01T00:00:00Z</TimetabledTime><EstimatedTime>2026-01-01T00:00:12Z</EstimatedTime></ServiceArrival><ServiceDeparture><TimetabledTime>2026-01-01T00:01:00Z</TimetabledTime></ServiceDeparture><Order>${order}</Order><Attribute><UserText><Text xml:lang="de">Einstieg ohne Stufe möglich</Text></UserText><Code>PRM</Code></Attribute></LegIntermediate>`;
  const all: string[] = [];
  for (let length = 0, order = 2; length < bytes; order++) {
    const next = stop(order);
    all.push(next);
    length += Buffer.byteLength(next);
  }
  return all.join('');
}

const olderNames: Readonly<Record<string, string>> = {
  Leg: 'TripLeg',
  LegIntermediate: 'LegIntermediates',
  Place: 'Location',
  PublishedServiceName: 'PublishedLineName',
  TransferType: 'TransferMode',
  UserText: 'Text',
};

/**
 * Converts an answer to version 1.0: SIRI is the default namespace, some elements have other names, and there is no number of a
 * train. Modes belong to services, and durations have all their parts.
 */
function inVersion1(answer: string): string {
  return withNumbersBehind(answer)
    .replace(
      /<Duration>PT(?:(\d+)H)?(\d+)M<\/Duration>(<WalkDuration>[^<]*<\/WalkDuration>)<BufferTime>PT(?:(\d+)H)?(\d+)M<\/BufferTime>/g,
      (_, hours = '0', minutes, walk, bufferHours = '0', bufferMinutes) => {
        const all =
          60 * (Number(hours) + Number(bufferHours)) + Number(minutes) + Number(bufferMinutes);
        const buffer = `<BufferTime>PT${bufferHours}H${bufferMinutes}M</BufferTime>`;
        return `<Duration>${durationOf(all * minuteMs)}</Duration>${walk}${buffer}`;
      },
    )
    .replaceAll('<PtMode>rail</PtMode>', '<PtMode>railwayService</PtMode>')
    .replace(
      /<Duration>PT(?:(\d+)H)?(\d+)M</g,
      (_, hours = '0', minutes) => `<Duration>P0Y0M0DT${hours}H${minutes}M0S<`,
    )
    .replace(
      /<TripResult><Id>([^<]*)<\/Id><Trip><Id>/g,
      '<TripResult><ResultId>$1</ResultId><Trip><TripId>',
    )
    .replace(/<TripId>([^<]*)<\/Id>/g, '<TripId>$1</TripId>')
    .replace(/<Leg><Id>([^<]*)<\/Id>/g, '<Leg><LegId>$1</LegId>')
    .replace(
      /<OperatorRefs><OperatorRef>([^<]*)<\/OperatorRef><\/OperatorRefs>/g,
      '<siri:OperatorRef>$1</siri:OperatorRef>',
    )
    .replace(/<\/?SituationFullRefs>/g, '')
    .replace(/<(\/?)(\w+)(?=[\s>])/g, (_, end: string, name: string) =>
      name === 'OJP' ? `<${end}OJP` : `<${end}ojp:${olderNames[name] ?? name}`,
    )
    .replaceAll('siri:', '')
    .replace(
      ROOT,
      '<OJP xmlns="http://www.siri.org.uk/siri" xmlns:ojp="http://www.vdv.de/ojp" version="1.0">',
    );
}

/** Removes the parts of durations of changes: in 2.0 the duration is the way, and servers leave its parts out. */
function withoutBuffers(answer: string): string {
  return answer.replace(/<WalkDuration>[^<]*<\/WalkDuration><BufferTime>[^<]*<\/BufferTime>/g, '');
}

/** Moves the number of each train out of its service: servers of 1.0 have it in an extension. */
function withNumbersBehind(answer: string): string {
  const [head = '', ...services] = answer.split('<TrainNumber>');
  const moved = services.map((service) => {
    const [number = '', ...rest] = service.split('</TrainNumber>');
    const text = `<Text>${number}</Text>`;
    const behind = `<PublishedJourneyNumber>${text}</PublishedJourneyNumber>`;
    return rest.join('').replace('<Extension>', `<Extension>${behind}`);
  });
  return head + moved.join('');
}

function durationOf(ms: number): string {
  const minutes = Math.round(ms / minuteMs);
  const hours = Math.floor(minutes / 60);
  return `PT${hours > 0 ? `${hours}H` : ''}${minutes % 60}M`;
}

function instant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function textOf(text: string): string {
  return `<Text>${escaped(text)}</Text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
