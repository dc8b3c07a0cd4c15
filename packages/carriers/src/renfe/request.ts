import type { CarrierContext, CarrierQuery } from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import type { WireReader } from '../wire/wire-reader.ts';
import { readReplyBytes, writeDwrCall } from './dwr.ts';

/** The bytes of the answer, and when they arrived (epoch ms). */
export interface RenfeWire {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly receivedAt: number;
}

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
  const origin = stationCode('renfe', query.origin);
  const destination = stationCode('renfe', query.destination);
  const ask = (path: string, headers: Record<string, string>, body?: string) =>
    http.send({
      method: body === undefined ? 'GET' : 'POST',
      url: baseUrl + path,
      headers,
      ...(body === undefined ? {} : { body }),
      signal,
      deadline,
    });

  const page = await ask(FORM_PATH, {});
  const cookie = cookiesOf(page.headers['set-cookie']);
  const asText = { cookie, 'content-type': 'text/plain' };
  const call = writeDwrCall({
    script: '__System',
    method: 'generateId',
    batch: 0,
    page: FORM_PATH,
    scriptSessionId: '',
  });
  const session = await ask(`${CALL_PATH}/__System.generateId.dwr`, asText, call);
  const dwrSessionId = sessionOf(read, session.body);
  const form = new URLSearchParams({
    cdgoOrigen: origin,
    cdgoDestino: destination,
    FechaIdaSel: query.date.split('-').reverse().join('/'),
    adultos_: String(query.passengers.length),
    tipoBusqueda: 'autocomplete',
  });
  const asForm = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
  await ask(FORM_PATH, asForm, form.toString());
  const list = writeDwrCall({
    script: 'trainEnlacesManager',
    method: 'getTrainsList',
    batch: 1,
    page: RESULT_PATH,
    scriptSessionId: `${dwrSessionId}/${dwrSessionId.slice(-8)}`,
    parameters: ['string:false', 'string:false', 'string:false'],
  });
  const { body, receivedAt } = await ask(
    `${CALL_PATH}/trainEnlacesManager.getTrainsList.dwr`,
    asText,
    list,
  );
  return { body, receivedAt };
}

/** Returns the cookies to send back. Drops what is not a pair of visible characters, as browsers do. */
function cookiesOf(setCookie: string | readonly string[] | undefined): string {
  return [setCookie ?? []]
    .flat()
    .map((line) => line.split(';', 1)[0]?.trim() ?? '')
    .filter((pair) => /^[\x21-\x7e]+$/.test(pair) && pair.includes('='))
    .join('; ');
}

function sessionOf(read: WireReader, body: Uint8Array): string {
  const { kind, value } = readReplyBytes(read, body);
  if (kind === 'callback' && typeof value === 'string' && /^[\w*$~-]{1,128}$/.test(value)) {
    return value;
  }
  throw read.error('a DWR session id', value);
}
