import { europeanOperators } from '../../timetable/europe/carriers.ts';
import type { EuropeanOperator } from '../../timetable/europe/lines.ts';
import { sloidOf } from '../../timetable/europe/stations.ts';
import { stationOf } from '../../timetable/network.ts';
import type { Train, TrainRun } from '../../timetable/train.ts';

/** How an answer is written. */
export interface OjpEncoding {
  /** `1.0`: names and prefixes of that version, where SIRI has no prefix. Default `2.0`. */
  readonly version?: '1.0' | '2.0' | undefined;
  /** Adds stops in between to rides until the answer has that many bytes. Default 0. */
  readonly bytes?: number | undefined;
}

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
  { version = '2.0', bytes = 0 }: OjpEncoding = {},
): string {
  const stations = [
    ...new Set(trains.flatMap(runsOf).flatMap((run) => [run.origin, run.destination])),
  ];
  const places = stations.flatMap(placesOf).join('');
  const write = (stops: string): string =>
    delivery(
      `<siri:Status>true</siri:Status><CalcTime>12</CalcTime><TripResponseContext><Places>${places}</Places></TripResponseContext>${trains
        .map((train, index) => tripOf(train, index, stops))
        .join('')}`,
    );
  const small = write('');
  const rides = trains.flatMap(runsOf).length;
  const missing = bytes - Buffer.byteLength(small);
  const each = missing > 0 && rides > 0 ? Math.ceil(missing / rides) : 0;
  const answer = each > 0 ? write(stopsOf(each)) : small;
  return version === '2.0' ? answer : inVersion1(answer);
}

/** Returns an answer that has an error instead of trips. */
export function encodeOjpError(type: string, text: string): string {
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

function runsOf(train: Train): readonly TrainRun[] {
  return train.connection ?? [train];
}

/** The reference of a platform: in Switzerland a location id, elsewhere that of the station. */
function platformOf(uic: string): string {
  const sloid = sloidOf(uic);
  return sloid === undefined ? uic : `${sloid}:1:2`;
}

function placesOf(uic: string): readonly string[] {
  const { name, longitude = 0, latitude = 0 } = stationOf(uic);
  const rest = `<Name>${textOf(name)}</Name><GeoPosition><siri:Longitude>${longitude.toFixed(5)}</siri:Longitude><siri:Latitude>${latitude.toFixed(5)}</siri:Latitude></GeoPosition></Place>`;
  const platform = platformOf(uic);
  const station = `<Place><StopPlace><StopPlaceRef>${uic}</StopPlaceRef><StopPlaceName>${textOf(name)}</StopPlaceName></StopPlace>${rest}`;
  if (platform === uic) return [station];
  return [
    `<Place><StopPoint><siri:StopPointRef>${platform}</siri:StopPointRef><StopPointName>${textOf(name)}</StopPointName><ParentRef>${uic}</ParentRef></StopPoint>${rest}`,
    station,
  ];
}

function tripOf(train: Train, index: number, stops: string): string {
  const id = `<Id>r${index + 1}</Id>`;
  const runs = runsOf(train);
  const legs = runs.flatMap((run, place) => {
    const before = runs[place - 1];
    return before === undefined
      ? [timedLeg(run, stops)]
      : [transferLeg(before, run), timedLeg(run, stops)];
  });
  return [
    `<TripResult>${id}<Trip>${id}<Duration>${durationOf(train.departureMs, train.arrivalMs)}</Duration>`,
    `<StartTime>${instant(train.departureMs)}</StartTime><EndTime>${instant(train.arrivalMs)}</EndTime>`,
    `<Transfers>${runs.length - 1}</Transfers>`,
    ...legs.map((leg, place) => `<Leg><Id>${place + 1}</Id>${leg}</Leg>`),
    '</Trip></TripResult>',
  ].join('');
}

function transferLeg(before: TrainRun, after: TrainRun): string {
  const end = (uic: string): string =>
    `<siri:StopPointRef>${platformOf(uic)}</siri:StopPointRef><Name>${textOf(stationOf(uic).name)}</Name>`;
  const duration = durationOf(before.arrivalMs, after.departureMs);
  return `<TransferLeg><TransferType>walk</TransferType><LegStart>${end(before.destination)}</LegStart><LegEnd>${end(after.origin)}</LegEnd><Duration>${duration}</Duration></TransferLeg>`;
}

function timedLeg(run: TrainRun, stops: string): string {
  const call = (uic: string, side: 'Departure' | 'Arrival', ms: number): string => {
    const expected =
      run.delayMinutes === undefined
        ? ''
        : `<EstimatedTime>${instant(ms + run.delayMinutes * minuteMs)}</EstimatedTime>`;
    return `<siri:StopPointRef>${platformOf(uic)}</siri:StopPointRef><StopPointName>${textOf(stationOf(uic).name)}</StopPointName><Service${side}><TimetabledTime>${instant(ms)}</TimetabledTime>${expected}</Service${side}>`;
  };
  return [
    `<TimedLeg><LegBoard>${call(run.origin, 'Departure', run.departureMs)}<Order>1</Order></LegBoard>`,
    stops,
    `<LegAlight>${call(run.destination, 'Arrival', run.arrivalMs)}<Order>99</Order></LegAlight>`,
    serviceOf(run),
    '</TimedLeg>',
  ].join('');
}

function serviceOf({ number, brand, line, operator, date, cancelled }: TrainRun): string {
  const rics = europeanOperators[operator as EuropeanOperator]?.rics ?? '';
  return [
    `<Service><OperatingDayRef>${date}</OperatingDayRef><JourneyRef>sim:${brand}:${number}</JourneyRef>`,
    `<siri:LineRef>sim:${brand}</siri:LineRef><Mode><PtMode>rail</PtMode><ShortName>${textOf(brand)}</ShortName></Mode>`,
    `<PublishedServiceName>${textOf(line ?? `${brand} ${number}`)}</PublishedServiceName><TrainNumber>${number}</TrainNumber>`,
    `<OperatorRefs><OperatorRef>${rics}</OperatorRef></OperatorRefs>`,
    `${cancelled ? '<Cancelled>true</Cancelled>' : ''}</Service>`,
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
  Place: 'Location',
  PublishedServiceName: 'PublishedLineName',
  TransferType: 'TransferMode',
};

/** In 1.0 SIRI is the default namespace, some elements have other names, and there is no number of a train. */
function inVersion1(answer: string): string {
  return withNumbersBehind(answer)
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
    .replace(/<(\/?)(\w+)(?=[\s>])/g, (_, end: string, name: string) =>
      name === 'OJP' ? `<${end}OJP` : `<${end}ojp:${olderNames[name] ?? name}`,
    )
    .replaceAll('siri:', '')
    .replace(
      ROOT,
      '<OJP xmlns="http://www.siri.org.uk/siri" xmlns:ojp="http://www.vdv.de/ojp" version="1.0">',
    );
}

/** Moves the number of each train out of its service: servers of 1.0 have it in an extension. */
function withNumbersBehind(answer: string): string {
  const [head = '', ...services] = answer.split('<TrainNumber>');
  const moved = services.map((service) => {
    const [number = '', ...rest] = service.split('</TrainNumber>');
    const text = `<Text>${number}</Text>`;
    const behind = `<Extension><PublishedJourneyNumber>${text}</PublishedJourneyNumber></Extension>`;
    return rest.join('').replace('</Service>', `</Service>${behind}`);
  });
  return head + moved.join('');
}

function durationOf(fromMs: number, toMs: number): string {
  const minutes = Math.round((toMs - fromMs) / minuteMs);
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
