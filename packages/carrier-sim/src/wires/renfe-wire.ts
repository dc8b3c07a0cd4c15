import { createBoundedMap, keptByList } from '../bounded-map.ts';
import { localTimeAt } from '../timetable/local-clock.ts';
import { type SimStation, stationOf, stations } from '../timetable/network.ts';
import { createRandom } from '../timetable/random.ts';
import type { Train, TrainFare, TrainRun } from '../timetable/train.ts';
import { type Answer, type RawRequest, searchKeyOf, type Wire, type WireContext } from './wire.ts';

/** What Renfe keeps of a visitor between calls. */
interface RenfeSession {
  dwrSessionId?: string;
  search?: { readonly origin: string; readonly destination: string; readonly date: string };
}

const maxSessions = 10_000;
const dwrPath = '/vol/dwr/call/plaincall';

const complaints = {
  U001: 'Su sesión ha caducado',
  U002: 'No hay servicio entre las estaciones elegidas',
  U003: 'La fecha elegida no está a la venta',
  U014: 'Demasiadas consultas, inténtelo más tarde',
};

/** Creates Renfe's wire: four calls; the session of the first call's cookie keeps the search. */
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
    malformPrice: (body) => body.replace(/precioTarifa:"[^"]*"/, 'precioTarifa:"3x,35"'),
    calls: [
      {
        method: 'GET',
        path: '/vol/buscarTren.do',
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
          return page({});
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
          return script(encodeOnce(finding.trains));
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

function page(headers: Answer['headers']): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    body: '<!DOCTYPE html><html lang="es"><title>Buscar tren</title></html>\n',
  };
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
  const listadoTrenes = [{ listviajeViewEnlaceBean: trains.map(encodeTrain) }];
  return writeDwrScript({ handler: 'handleCallback', batch: '1', value: { listadoTrenes } });
}

function encodeTrain(train: Train): ScriptValue {
  const fares = train.fares.filter(({ seller }) => seller === 'renfe');
  const { cdgoEstacionOrigen, cdgoEstacionDestino, ...times } = encodeRun(train);
  return {
    ...times,
    duracionViajeTotalEnMinutos: (train.arrivalMs - train.departureMs) / 60_000,
    tipoTrenUno: train.brand,
    ...(train.connection && { tipoTrenDos: train.connection[1].brand }),
    completo: fares.length === 0,
    cdgoEstacionOrigen,
    cdgoEstacionDestino,
    trayectos: train.connection
      ? train.connection.map((run) => ({ cdgoTren: run.number, ...encodeRun(run) }))
      : [{ cdgoTren: train.number }],
    tarifasDisponibles: fares.map(encodeFare),
  };
}

interface RunFields {
  readonly [key: string]: string;
  readonly fecha: string;
  readonly horaSalida: string;
  readonly horaLlegada: string;
  readonly cdgoEstacionOrigen: string;
  readonly cdgoEstacionDestino: string;
}

function encodeRun(run: TrainRun): RunFields {
  const origin = stationOf(run.origin);
  const destination = stationOf(run.destination);
  const departure = localTimeAt(run.departureMs, origin.zone);
  return {
    fecha: departure.date,
    horaSalida: departure.time,
    horaLlegada: localTimeAt(run.arrivalMs, destination.zone).time,
    cdgoEstacionOrigen: renfeCodeOf(origin),
    cdgoEstacionDestino: renfeCodeOf(destination),
  };
}

function renfeCodeOf({ renfeCode, name }: SimStation): string {
  if (renfeCode !== undefined) return renfeCode;
  throw new TypeError(`Cannot encode train: Renfe has no code for ${name}`);
}

function encodeFare({ code, name, cents }: TrainFare): ScriptValue {
  const precioTarifa = `${grouped(Math.floor(cents / 100))},${String(cents % 100).padStart(2, '0')}`;
  return { codigoTarifa: code, titulo: name, precioTarifa };
}

/** `1071` → `1.071` */
function grouped(euros: number): string {
  if (euros < 1000) return String(euros);
  return `${grouped(Math.floor(euros / 1000))}.${String(euros % 1000).padStart(3, '0')}`;
}

/** A value in a DWR script. */
type ScriptValue =
  | string
  | number
  | boolean
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

/** Returns a JavaScript literal as DWR spells it: bare keys, and `\uXXXX` for all that is not ASCII. */
function writeLiteral(value: ScriptValue): string {
  if (Array.isArray(value)) return `[${value.map(writeLiteral).join(',')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, field]) => `${key}:${writeLiteral(field)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}
