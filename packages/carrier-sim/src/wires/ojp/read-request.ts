import { readXml, type XmlNode } from './read-xml.ts';

/** Content of a trip request. */
export interface OjpRequest {
  /** References of stations. */
  readonly origin: string;
  readonly destination: string;
  readonly via?: string;
  /** Epoch ms. */
  readonly atMs?: number;
  readonly by: 'departure' | 'arrival';
  readonly before: number;
  readonly after: number;
  readonly maxTransfers?: number;
  /** True if the stops on the way are asked for. */
  readonly stops: boolean;
}

/** Part of a request that the schema does not allow. */
export interface WrongRequest {
  readonly wrong: string;
}

const OJP = 'http://www.vdv.de/ojp';
const SIRI = 'http://www.siri.org.uk/siri';

/** Children in the order of the schema: name, fewest, most. */
type Sequence = readonly (readonly [name: string, least: number, most: number])[];

const siri = (name: string): string => `${SIRI} ${name}`;
const ojp = (name: string): string => `${OJP} ${name}`;
const anyNumber = Number.POSITIVE_INFINITY;
const optional = (...names: readonly string[]): Sequence =>
  names.map((name) => [ojp(name), 0, 1] as const);

const placeRef: Sequence = [
  [ojp('StopPlaceRef'), 1, 1],
  [ojp('Name'), 1, 1],
];
const placeContext: Sequence = [
  [ojp('PlaceRef'), 1, 1],
  [ojp('DepArrTime'), 0, 1],
];

/** The schema of OJP 2.0 (github.com/VDVde/OJP, release 2.0), as far as this server reads it. */
const sequences: Readonly<Record<string, Sequence>> = {
  [ojp('OJP')]: [[ojp('OJPRequest'), 1, 1]],
  [ojp('OJPRequest')]: [[siri('ServiceRequest'), 1, 1]],
  [siri('ServiceRequest')]: [
    [siri('RequestTimestamp'), 1, 1],
    [siri('RequestorRef'), 1, 1],
    [ojp('OJPTripRequest'), 1, 1],
  ],
  [ojp('OJPTripRequest')]: [
    [siri('RequestTimestamp'), 1, 1],
    [siri('MessageIdentifier'), 0, 1],
    [ojp('Origin'), 1, 1],
    [ojp('Destination'), 1, 1],
    [ojp('Via'), 0, 1],
    [ojp('Params'), 0, 1],
  ],
  [ojp('Origin')]: placeContext,
  [ojp('Destination')]: placeContext,
  [ojp('Via')]: [
    [ojp('ViaPoint'), 1, 1],
    [ojp('DwellTime'), 0, 1],
  ],
  [ojp('PlaceRef')]: placeRef,
  [ojp('ViaPoint')]: placeRef,
  [ojp('Name')]: [[ojp('Text'), 1, anyNumber]],
  [ojp('Params')]: optional(
    'NumberOfResults',
    'NumberOfResultsBefore',
    'NumberOfResultsAfter',
    'TimeWindow',
    'UseRealtimeData',
    'ImmediateTripStart',
    'TransferLimit',
    'OptimisationMethod',
    'IncludeAllRestrictedLines',
    'IncludeTrackSections',
    'IncludeLegProjection',
    'IncludeTurnDescription',
    'IncludePlacesContext',
    'IncludeSituationsContext',
    'IncludeIntermediateStops',
    'IncludeFare',
    'TripSummaryOnly',
  ),
};

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const COUNT = /^\d{1,6}$/;
const realtime = ['full', 'explanatory', 'none'];

/** Reads a trip request as strictly as the schema: namespaces, order, required elements, values. */
export function readRequest(body: string): OjpRequest | WrongRequest {
  const root = readXml(body);
  if (root === undefined) return { wrong: 'The request is not well-formed XML' };
  if (root.name !== ojp('OJP')) return { wrong: `The root is ${root.name || 'none'}` };
  if (root.attributes['version'] !== '2.0') return { wrong: 'version is not 2.0' };
  const wrong = wrongIn(root);
  if (wrong !== undefined) return { wrong };
  const service = find(find(root, 'OJPRequest'), 'ServiceRequest', SIRI);
  const trip = find(service, 'OJPTripRequest');
  const stamps = [service, trip].map((node) => textOf(node, 'RequestTimestamp', SIRI));
  if (!stamps.every((stamp) => isInstant(stamp)))
    return { wrong: 'RequestTimestamp is no instant' };
  if (textOf(service, 'RequestorRef', SIRI) === '') return { wrong: 'RequestorRef is empty' };
  return readTrip(trip);
}

function readTrip(trip: XmlNode | undefined): OjpRequest | WrongRequest {
  const [origin, destination] = [find(trip, 'Origin'), find(trip, 'Destination')];
  const via = find(find(trip, 'Via'), 'ViaPoint');
  const times = [origin, destination].map((end) => textOf(end, 'DepArrTime'));
  const [leaves = '', arrives = ''] = times;
  if (leaves !== '' && arrives !== '') return { wrong: 'DepArrTime is at both ends' };
  const at = leaves || arrives;
  if (at !== '' && !isInstant(at)) return { wrong: 'DepArrTime is no instant' };
  const params = find(trip, 'Params');
  const counts = [
    'NumberOfResults',
    'NumberOfResultsBefore',
    'NumberOfResultsAfter',
    'TransferLimit',
  ];
  for (const name of counts) {
    const text = textOf(params, name);
    if (text !== '' && !COUNT.test(text)) return { wrong: `${name} is no count` };
  }
  const count = (name: string): number | undefined =>
    find(params, name) === undefined ? undefined : Number(textOf(params, name));
  const [results, before, after] = counts.map(count);
  const sides = before !== undefined || after !== undefined;
  if (results !== undefined && sides) return { wrong: 'NumberOfResults is beside its two parts' };
  for (const flag of params?.children ?? []) {
    const [, name = ''] = flag.name.split(' ');
    const values = name === 'UseRealtimeData' ? realtime : ['true', 'false'];
    const isFlag =
      name.startsWith('Include') || name.endsWith('Only') || name === 'UseRealtimeData';
    if (isFlag && !values.includes(flag.text)) return { wrong: `${name} is ${flag.text}` };
  }
  const maxTransfers = count('TransferLimit');
  const isAfter = arrives === '';
  const usual = sides ? 0 : (results ?? 5);
  return {
    origin: textOf(find(origin, 'PlaceRef'), 'StopPlaceRef'),
    destination: textOf(find(destination, 'PlaceRef'), 'StopPlaceRef'),
    ...(via !== undefined && { via: textOf(via, 'StopPlaceRef') }),
    ...(at !== '' && { atMs: Date.parse(at) }),
    by: isAfter ? 'departure' : 'arrival',
    before: before ?? (isAfter ? 0 : usual),
    after: after ?? (isAfter ? usual : 0),
    ...(maxTransfers !== undefined && { maxTransfers }),
    stops: textOf(params, 'IncludeIntermediateStops') === 'true',
  };
}

/** Returns what is wrong with the elements of a node, at any depth. */
function wrongIn({ name, children }: XmlNode): string | undefined {
  const sequence = sequences[name];
  const [, local = ''] = name.split(' ');
  if (sequence === undefined) {
    return children.length === 0 ? undefined : `${local} has elements`;
  }
  let place = 0;
  for (const child of children) {
    const found = sequence.findIndex(([each], index) => index >= place && each === child.name);
    if (found < 0) return `${child.name} is not expected there in ${local}`;
    place = found;
  }
  for (const [each, least, most] of sequence) {
    const count = children.filter((child) => child.name === each).length;
    if (count < least || count > most) return `${local} has ${each} ${count} times`;
  }
  for (const child of children) {
    const wrong = wrongIn(child);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function find(node: XmlNode | undefined, name: string, space: string = OJP): XmlNode | undefined {
  return node?.children.find((child) => child.name === `${space} ${name}`);
}

function textOf(node: XmlNode | undefined, name: string, space: string = OJP): string {
  return find(node, name, space)?.text ?? '';
}

function isInstant(text: string | undefined): boolean {
  return text !== undefined && INSTANT.test(text) && !Number.isNaN(Date.parse(text));
}
