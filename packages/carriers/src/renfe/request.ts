import type { CarrierContext, CarrierQuery } from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import { refuseRedirect } from '../wire/page-for-people.ts';
import type { WireReader } from '../wire/wire-reader.ts';
import { readReplyBytes, writeDwrCall } from './dwr.ts';

/** The bytes of the answer, and when they arrived (epoch ms). */
export interface RenfeWire {
  /** Answer of the service behind the price calendar, if it is not one of the shop. */
  readonly isCalendar?: true;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly receivedAt: number;
}

const HOME_PATH = '/vol/inicio.do';
const FORM_PATH = '/vol/buscarTren.do';
const RESULT_PATH = '/vol/buscarTrenEnlaces.do';
const CALL_PATH = '/vol/dwr/call/plaincall';

/** Makes the four calls of one search: page (for the cookie), DWR session, form, list of trains. */
export async function requestRenfe(
  baseUrl: string,
  read: WireReader,
  query: CarrierQuery,
  context: CarrierContext,
): Promise<RenfeWire> {
  const { signal, deadline, http } = context;
  const search = searchOf(query);
  const cookies = new Map<string, string>();
  const ask = async (path: string, contentType?: string, body?: string) => {
    const isCall = path.startsWith(CALL_PATH);
    const response = await http.send({
      method: body === undefined ? 'GET' : 'POST',
      url: baseUrl + path,
      headers:
        contentType === undefined
          ? {}
          : { cookie: writeCookies(cookies), 'content-type': contentType },
      ...(body === undefined ? {} : { body }),
      signal,
      deadline,
    });
    // The form leads on to the page of results.
    refuseRedirect('renfe', response, isCall ? undefined : baseUrl);
    keepCookies(cookies, response.headers['set-cookie']);
    return response;
  };

  await ask(HOME_PATH);
  const call = writeDwrCall({
    script: '__System',
    method: 'generateId',
    batch: 0,
    page: FORM_PATH,
    scriptSessionId: '',
  });
  const session = await ask(`${CALL_PATH}/__System.generateId.dwr`, 'text/plain', call);
  const dwrSessionId = sessionOf(read, session.body);
  // A page's script keeps the session in this cookie, and the server compares both.
  cookies.set('DWRSESSIONID', dwrSessionId);
  const form = new URLSearchParams(formOf(search)).toString();
  await ask(FORM_PATH, 'application/x-www-form-urlencoded', form);
  const list = writeDwrCall({
    script: 'trainEnlacesManager',
    method: 'getTrainsList',
    batch: 1,
    page: RESULT_PATH,
    scriptSessionId: `${dwrSessionId}/${dwrSessionId.slice(-8)}`,
    parameter: filterOf(search),
  });
  const { body, receivedAt } = await ask(
    `${CALL_PATH}/trainEnlacesManager.getTrainsList.dwr`,
    'text/plain',
    list,
  );
  return { body, receivedAt };
}

interface Search {
  readonly origin: string;
  readonly destination: string;
  /** `20/01/2027` */
  readonly day: string;
  /** Everybody is asked for as an adult: whose price the answer has is not known for a party with children. */
  readonly adults: string;
}

function searchOf({ origin, destination, date, passengers }: CarrierQuery): Search {
  return {
    origin: stationCode('renfe', origin),
    destination: stationCode('renfe', destination),
    day: date.split('-').reverse().join('/'),
    adults: String(passengers.length),
  };
}

/** The fields of the search form, as the site sends them. */
function formOf({ origin, destination, day, adults }: Search): Record<string, string> {
  return {
    tipoBusqueda: 'autocomplete',
    currenLocation: 'menuBusqueda',
    vengoderenfecom: 'SI',
    cdgoOrigen: origin,
    cdgoDestino: destination,
    idiomaBusqueda: 'ES',
    FechaIdaSel: day,
    FechaVueltaSel: '',
    _fechaIdaVisual: day,
    _fechaVueltaVisual: '',
    adultos_: adults,
    ninos_: '0',
    ninosMenores: '0',
    codPromocional: '',
    plazaH: 'false',
    sinEnlace: 'false',
    conMascota: 'false',
    conBicicleta: 'false',
    asistencia: 'false',
    franjaHoraI: '',
    franjaHoraV: '',
    Idioma: 'es',
    Pais: 'ES',
  };
}

/** The argument of the list of trains, in the order of the site. */
function filterOf({ day, adults }: Search): Record<string, string> {
  return {
    atendo: 'false',
    sinEnlace: 'false',
    plazaH: 'false',
    tipoFranjaI: '',
    tipoFranjaV: '',
    horaFranjaIda: '',
    horaFranjaVuelta: '',
    fechaSalida: day,
    fechaVuelta: '',
    adultos: adults,
    ninos: '0',
    ninosMenores: '0',
    trayecto: 'I',
    idaVuelta: '',
    conMascota: 'false',
    conBicicleta: 'false',
  };
}

const MAX_COOKIES = 32;

/** Keeps the cookies to send back. Drops what is not a pair of visible characters, as browsers do. */
function keepCookies(
  cookies: Map<string, string>,
  setCookie: string | readonly string[] | undefined,
): void {
  for (const line of [setCookie ?? []].flat()) {
    const pair = line.split(';', 1)[0]?.trim() ?? '';
    const at = pair.indexOf('=');
    if (at < 0 || !/^[\x21-\x7e]+$/.test(pair) || cookies.size >= MAX_COOKIES) continue;
    cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

function writeCookies(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

function sessionOf(read: WireReader, body: Uint8Array): string {
  const { kind, value } = readReplyBytes(read, body);
  if (kind === 'callback' && typeof value === 'string' && /^[\w*$~-]{1,128}$/.test(value)) {
    return value;
  }
  throw read.error('a DWR session id', value);
}
