import { createBoundedMap, keptByList } from '../bounded-map.ts';
import { leastCents } from '../timetable/least-fare.ts';
import { datesBetween, isCalendarDate, localTimeAt } from '../timetable/local-clock.ts';
import { stationOf, stations } from '../timetable/network.ts';
import { createRandom } from '../timetable/random.ts';
import type { SimStation } from '../timetable/sim-station.ts';
import type { Train, TrainFare, TrainRun } from '../timetable/train.ts';
import { incidentsOf } from './renfe-details.ts';
import {
  type Answer,
  type Finding,
  jsonAnswer,
  type NoOptions,
  type RawRequest,
  searchKeyOf,
  type Wire,
  type WireContext,
} from './wire.ts';

/** State of a visitor between calls. */
interface RenfeSession {
  dwrSessionId?: string;
  search?: { readonly origin: string; readonly destination: string; readonly date: string };
}

const maxSessions = 10_000;
const dwrPath = '/vol/dwr/call/plaincall';
const resultPath = '/vol/buscarTrenEnlaces.do';

/**
 * Faults of Renfe alone: `waiting-room` answers a search with a page for people, `list-error` writes an error into an empty list,
 * `exception` is one without a code, `no-fares` lists trains that are not full without any fare, `not-running` marks each as one that
 * does not run.
 */
export const renfeFaults: {
  readonly 'waiting-room': NoOptions;
  readonly 'list-error': NoOptions;
  readonly exception: NoOptions;
  readonly 'no-fares': NoOptions;
  readonly 'not-running': NoOptions;
} = { 'waiting-room': {}, 'list-error': {}, exception: {}, 'no-fares': {}, 'not-running': {} };

const complaints = {
  U001: 'Su sesión ha caducado',
  U002: 'No hay servicio entre las estaciones elegidas',
  U003: 'La fecha elegida no está a la venta',
  U014: 'Demasiadas consultas, inténtelo más tarde',
};

const fareStart = '{avisoEnlaceViewBean:[],';

/** Replaces a price of a fare that everyone may buy: the others need not be read. */
function malformPrice(body: string): string {
  const fares = body.split(fareStart);
  const at = fares.findIndex(
    (fare) => fare.includes('tipo:"N"') && fare.includes('soloPlazasH:false,tarifaTramo'),
  );
  return fares
    .map((fare, index) =>
      index === at ? fare.replace(/precioTarifa:"[^"]*"/, 'precioTarifa:"3x,35"') : fare,
    )
    .join(fareStart);
}

/** Creates Renfe's wire: four calls, whose session, of the first call's cookie, keeps the search; and the service behind the price calendar. */
export function createRenfeWire(context: WireContext): Wire {
  const encodeOnce = keptByList(encodeRenfe);
  const ids = createRandom(`${context.seed}/renfe/sessions`);
  const sessions = createBoundedMap<RenfeSession>(maxSessions);
  const sessionOf = ({ headers }: RawRequest): RenfeSession | undefined => {
    const id = /(?:^|;\s*)JSESSIONID=([^;\s]*)/.exec(headers.cookie ?? '')?.[1];
    return id === undefined ? undefined : sessions.get(id);
  };
  return {
    throttled: () => complaint('U014'),
    malformPrice,
    calls: [
      {
        method: 'GET',
        path: '/vol/inicio.do',
        answer() {
          const id = ids.token();
          sessions.add(id, {});
          return page({ 'set-cookie': `JSESSIONID=${id}; Path=/renfe; HttpOnly` });
        },
      },
      {
        method: 'POST',
        path: `${dwrPath}/__System.generateId.dwr`,
        answer(request) {
          const dwrSessionId = ids.token();
          const session = sessionOf(request);
          if (session) session.dwrSessionId = dwrSessionId;
          return script(
            writeDwrScript({ handler: 'handleCallback', batch: '0', value: dwrSessionId }),
          );
        },
      },
      {
        method: 'POST',
        path: '/vol/buscarTren.do',
        answer(request) {
          const session = sessionOf(request);
          if (session) session.search = readSearch(request.body);
          return { status: 302, headers: { location: `/renfe${resultPath}` }, body: '' };
        },
      },
      {
        method: 'POST',
        path: `${dwrPath}/trainEnlacesManager.getTrainsList.dwr`,
        search: true,
        searchKey(request) {
          const search = sessionOf(request)?.search;
          return search && searchKeyOf(search);
        },
        answer(request) {
          const session = sessionOf(request);
          const [claimed] = /^scriptSessionId=(.*)$/m.exec(request.body)?.[1]?.split('/') ?? [];
          if (!session?.search || !claimed || claimed.trim() !== session.dwrSessionId) {
            return complaint('U001');
          }
          const finding = context.find(session.search);
          if (finding.kind === 'not-served') return complaint('U002');
          if (finding.kind === 'date-not-on-sale') return complaint('U003');
          if (request.fault?.kind === 'waiting-room') return waitingRoom();
          if (request.fault?.kind === 'list-error') return script(encodeListError());
          if (request.fault?.kind === 'exception') {
            const value = { javaClassName: 'java.lang.Throwable', message: 'Error' };
            return script(writeDwrScript({ handler: 'handleException', batch: '1', value }));
          }
          if (request.fault?.kind === 'not-running') {
            return script(
              encodeRenfe(finding.trains.map((train) => ({ ...train, cancelled: true }))),
            );
          }
          if (request.fault?.kind === 'no-fares') {
            return script(encodeRenfe(finding.trains.map((train) => ({ ...train, fares: [] }))));
          }
          return script(encodeOnce(finding.trains));
        },
      },
      {
        method: 'POST',
        path: '/api/wsrviajeros/vhi_priceCalendar',
        answer({ body }) {
          const query = readCalendarQuery(body);
          if (!query) return jsonAnswer({ message: 'Bad Request' }, 400);
          const days = query.dates.map((date) => ({
            date,
            finding: context.find({ ...query, date }),
          }));
          if (days.some(({ finding }) => finding.kind === 'not-served')) {
            return jsonAnswer({ message: 'Not Found' }, 404);
          }
          return jsonAnswer(encodeCalendar(query, days));
        },
      },
    ],
  };
}

function readSearch(body: string): NonNullable<RenfeSession['search']> {
  const form = new URLSearchParams(body);
  const uicOf = (field: string): string =>
    stations.find(({ renfeCode }) => renfeCode === form.get(field))?.uic ?? '';
  return {
    origin: uicOf('cdgoOrigen'),
    destination: uicOf('cdgoDestino'),
    date: (form.get('FechaIdaSel') ?? '').split('/').reverse().join('-'),
  };
}

/** Most days of one calendar. */
const maxDays = 366;

/** A question of the service behind the price calendar, which has a host of its own. */
function readCalendarQuery(
  body: string,
): { origin: string; destination: string; dates: readonly string[] } | undefined {
  let asked: unknown;
  try {
    asked = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { originId, destinyId, initDate, endDate, salesChannel } = Object(asked);
  const uicOf = (code: unknown): string | undefined =>
    stations.find(({ renfeCode }) => renfeCode !== undefined && renfeCode === code)?.uic;
  const [origin, destination] = [uicOf(originId), uicOf(destinyId)];
  if (Object(salesChannel).codApp !== 'VLP') return undefined;
  if (!isCalendarDate(initDate) || !isCalendarDate(endDate)) return undefined;
  const dates = datesBetween(initDate, endDate);
  if (dates.length === 0 || dates.length > maxDays) return undefined;
  // A pair that the calendar lacks.
  return { origin: origin ?? '', destination: destination ?? '', dates };
}

function encodeCalendar(
  { origin, destination }: { readonly origin: string; readonly destination: string },
  days: readonly { readonly date: string; readonly finding: Finding }[],
): object {
  const end = (uic: string): object => {
    const station = stationOf(uic);
    return { name: station.name, extId: station.renfeCode };
  };
  return {
    origin: end(origin),
    destination: end(destination),
    journeysPriceCalendar: days.map(({ date, finding }) => {
      const cents = finding.kind === 'trains' ? leastCents(finding.trains, 'renfe') : undefined;
      const isPriced = cents !== undefined;
      return { date, minPriceAvailable: isPriced, minPrice: isPriced ? cents / 100 : 0 };
    }),
  };
}

function page(headers: Answer['headers']): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    body: '<!DOCTYPE html><html lang="es"><title>Buscar tren</title></html>\n',
  };
}

function waitingRoom(): Answer {
  const body =
    '<!DOCTYPE html><html><head><script src="//static.queue-it.example/room.js"></script></head></html>\n';
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

function script(body: string): Answer {
  return { status: 200, headers: { 'content-type': 'text/javascript;charset=utf-8' }, body };
}

function complaint(cdgoError: keyof typeof complaints): Answer {
  const value = {
    javaClassName: 'es.renfe.dwr.VentaException',
    cdgoError,
    message: complaints[cdgoError],
  };
  return script(writeDwrScript({ handler: 'handleException', batch: '1', value }));
}

/** Returns Renfe's answer to a search: a DWR script with one list of trains. */
export function encodeRenfe(trains: readonly Train[]): string {
  const [first] = trains;
  return listOf({
    cdgoError: null,
    ...(first && endsOf(first)),
    fechaOrigen: first ? first.date.split('-').reverse().join('/') : null,
    fechaServidor: first ? new Date(first.departureMs - 86_400_000) : null,
    hayError: false,
    listviajeViewEnlaceBean: first ? trains.map(encodeTrain) : null,
    mensajeListaTrenVacia: first ? null : 'No hay trenes para los criterios elegidos',
    viajeIda: true,
  });
}

function encodeListError(): string {
  return listOf({
    cdgoError: 'E0001',
    hayError: true,
    listviajeViewEnlaceBean: [],
    mensajeListaTrenVacia: 'Servicio no disponible',
    viajeIda: true,
  });
}

/** The list of the way back is there unasked, and has an error. */
function listOf(list: ScriptValue): string {
  const back = { cdgoError: null, hayError: 'true', listviajeViewEnlaceBean: [], viajeIda: false };
  const value = { actEtiqOferta: 'SI', listadoTrenes: [list, back] };
  return writeDwrScript({ handler: 'handleCallback', batch: '1', value });
}

/** Returns a train as a bean, whose fields are in the order of the alphabet. */
function encodeTrain(train: Train, index: number): ScriptValue {
  const fares = train.fares.filter(({ seller }) => seller === 'renfe');
  const runs = train.connection ?? [train];
  const [first, second] = runs;
  const minutes = (train.arrivalMs - train.departureMs) / 60_000;
  const { fecha, horaSalida, horaLlegada } = clocksOf(train);
  const soldOut = train.seatsLeft === 0;
  const cheapest = fares[0];
  return {
    acercamientoViajeDestino: null,
    acercamientoViajeOrigen: null,
    ...endsOf(train),
    completo: soldOut,
    directo: second === undefined,
    duracionTrasbordo: second ? spelt((second.departureMs - first.arrivalMs) / 60_000) : '',
    duracionViaje: spelt(minutes),
    duracionViajeTotalEnMinutos: minutes,
    fecha,
    horaLlegada,
    horaSalida,
    id: index + 1,
    // Both trains of a change are at one station.
    msgCambioEstacionTransbordo: null,
    msgTrenNoDispo: null,
    plazaHDisponible: !soldOut,
    razonNoDisponible: train.cancelled ? '5' : soldOut ? '3' : '8',
    soloPlazaH: false,
    tarifaMinima: cheapest ? priceText(cheapest.cents) : null,
    tarifasDisponibles: cheapest
      ? [
          ...reservedFares(train, cheapest),
          ...promotedFares(train, cheapest),
          ...fares.map((fare) => encodeFare(fare, runs)),
        ]
      : null,
    tipoTrenDos: second ? second.brand : null,
    tipoTrenUno: first.brand,
    trayectos: runs.map(encodeRun),
  };
}

function endsOf({ origin, destination }: Pick<TrainRun, 'origin' | 'destination'>): {
  readonly [key: string]: ScriptValue;
} {
  const [from, to] = [stationOf(origin), stationOf(destination)];
  return {
    codigoEstacionDestino: renfeCodeOf(to),
    codigoEstacionOrigen: renfeCodeOf(from),
    descripcionEstacionDestino: to.name.toUpperCase(),
    descripcionEstacionOrigen: from.name.toUpperCase(),
  };
}

/** Wall clocks at both ends, and the day of departure. */
function clocksOf(run: TrainRun): Readonly<Record<'fecha' | 'horaSalida' | 'horaLlegada', string>> {
  const departure = localTimeAt(run.departureMs, stationOf(run.origin).zone);
  const arrival = localTimeAt(run.arrivalMs, stationOf(run.destination).zone);
  return { fecha: departure.date, horaSalida: departure.time, horaLlegada: arrival.time };
}

/** The times of a single train have seconds. */
function encodeRun(run: TrainRun): ScriptValue {
  const { fecha, horaSalida, horaLlegada } = clocksOf(run);
  const ends = endsOf(run);
  return {
    cdgoEstacionDestinoTrayecto: ends['codigoEstacionDestino'] as string,
    cdgoEstacionOrigenTrayecto: ends['codigoEstacionOrigen'] as string,
    cdgoTren: run.number,
    codOperador: run.brand === 'AVLO' ? 'LC' : 'AV',
    descripcionEstacionDestino: ends['descripcionEstacionDestino'] as string,
    descripcionEstacionOrigen: ends['descripcionEstacionOrigen'] as string,
    duracionTrayecto: spelt((run.arrivalMs - run.departureMs) / 60_000),
    fecha,
    fechaCI: fecha,
    horaLlegada: `${horaLlegada}:00`,
    horaSalida: `${horaSalida}:00`,
    lstIncidencias: incidentsOf(run),
    razonNoDisponible: null,
    tipoTren: run.brand,
  };
}

/** `3 horas 8 minutos` */
function spelt(minutes: number): string {
  return `${Math.floor(minutes / 60)} horas ${minutes % 60} minutos`;
}

function renfeCodeOf({ renfeCode, name }: SimStation): string {
  if (renfeCode !== undefined) return renfeCode;
  throw new TypeError(`Cannot encode train: Renfe has no code for ${name}`);
}

/** The last seats of a train are cheap where they are kept for wheelchairs. Most parties may not buy them. */
function reservedFares(train: Train, { cents, ...cheapest }: TrainFare): readonly ScriptValue[] {
  if (train.seatsLeft > 3) return [];
  const fare = { ...cheapest, cents: cents - 100 };
  return [{ ...encodeFare(fare, train.connection ?? [train]), soloPlazasH: true }];
}

/** Some trains have a fare of a promotion, for people with its card. */
function promotedFares(train: Train, { cents, ...cheapest }: TrainFare): readonly ScriptValue[] {
  if (Number(train.number) % 5 > 0) return [];
  const fare = { ...cheapest, cents: Math.round(cents * 0.6) };
  const oferta = { color: '#b4d', tipo: 'P', txtBoton: 'Promo' };
  return [{ ...encodeFare(fare, train.connection ?? [train]), oferta }];
}

const conditions: Readonly<Record<string, readonly string[]>> = {
  LC107: ['Equipaje de mano', 'Cambios y anulaciones (9 &#128;)'],
  N1010: ['Permite 1 cambio con coste', 'Cambio de titular con coste', 'No reembolsable'],
  N2010: ['Un cambio gratuito', 'Cambio de titular con coste', 'Reembolsable 60%'],
  N4010: ['Cambios gratuitos ilimitados, Cambio de titular gratuito', '100% reembolsable'],
};

function encodeFare(
  { code, name, cents, travelClass }: TrainFare,
  runs: readonly TrainRun[],
): { readonly [key: string]: ScriptValue } {
  const cdgoClase = travelClass === 'first' ? 'P' : 'T';
  return {
    avisoEnlaceViewBean: [],
    cdgoClase,
    codigoTarifa: code,
    oferta: { color: '', tipo: 'N', txtBoton: '' },
    plazaH: true,
    precioTarifa: priceText(cents),
    prestaciones: [...(conditions[code] ?? []), null],
    soloPlazasH: false,
    tarifaTramoCombViewBean: runs.map(({ number }) => ({
      cdgoClase,
      cdgoTarifa: code,
      cdgoTren: number,
    })),
    titulo: name,
  };
}

/** `12450` → `124,5`, `6000` → `60` */
function priceText(cents: number): string {
  const rest = cents % 100;
  const digits = String(rest).padStart(2, '0');
  const fraction = rest === 0 ? '' : rest % 10 === 0 ? digits.slice(0, 1) : digits;
  return `${grouped(Math.floor(cents / 100))}${fraction && `,${fraction}`}`;
}

/** `1071` → `1.071` */
function grouped(euros: number): string {
  if (euros < 1000) return String(euros);
  return `${grouped(Math.floor(euros / 1000))}.${String(euros % 1000).padStart(3, '0')}`;
}

/** A value in a DWR script. */
type ScriptValue =
  | null
  | string
  | number
  | boolean
  | Date
  | readonly ScriptValue[]
  | { readonly [key: string]: ScriptValue };

/** The end of a DWR call, and the number of its batch. */
interface ScriptReply {
  readonly handler: 'handleCallback' | 'handleException';
  readonly batch: '0' | '1';
  readonly value: ScriptValue;
}

/** Returns the script with which a DWR 3 server answers a plain call. */
function writeDwrScript({ handler, batch, value }: ScriptReply): string {
  return [
    "throw 'allowScriptTagRemoting is false.';",
    '(function(){',
    'var r=window.dwr._[0];',
    '//#DWR-INSERT',
    '//#DWR-REPLY',
    `r.${handler}("0","${batch}",${writeLiteral(value)});`,
    '})();',
    '',
  ].join('\n');
}

/** Returns a JavaScript literal as DWR spells it: bare keys, dates by their constructor, and `\uXXXX` for all that is not ASCII. */
function writeLiteral(value: ScriptValue): string {
  if (Array.isArray(value)) return `[${value.map(writeLiteral).join(',')}]`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, field]) => `${key}:${writeLiteral(field)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}
