import { CarrierError, type CarrierErrorCode, type CarrierHttpResponse } from '@ticketing/core';

/** Beginning of an HTML page. An answer in XML begins with its declaration, then with other elements. */
const PAGE = /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?<(?:!doctype\s+html|html)\b/i;
/** Traces of waiting rooms, such as Queue-it, in a page or in the address of one. */
const WAITING_ROOM = /queue-?it|queueclient|waiting-?room/i;
/** Characters of a page that are searched for such a trace. */
const SEARCHED = 16_384;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Refuses a page for people in place of an answer. It is reported, and never evaded.
 *
 * @throws CarrierError `OVERLOADED` for the page of a waiting room, `AUTH` for any other
 */
export function refusePage(carrier: string, text: string): void {
  if (PAGE.test(text)) throw wall(carrier, 'a page for people', text.slice(0, SEARCHED));
}

/**
 * Refuses an answer that only leads elsewhere: to a waiting room, or to a page where people prove that they are people. One that
 * leads on within the site of `home` is not refused.
 *
 * @throws CarrierError `OVERLOADED` for the way to a waiting room, `AUTH` for any other
 */
export function refuseRedirect(
  carrier: string,
  { status, headers }: Pick<CarrierHttpResponse, 'status' | 'headers'>,
  home?: string,
): void {
  if (!redirects.includes(status)) return;
  const location = String(headers['location'] ?? '');
  if (home !== undefined && isWithin(location, home) && !WAITING_ROOM.test(location)) return;
  throw wall(carrier, `status ${status}`, location);
}

function isWithin(location: string, home: string): boolean {
  return URL.canParse(location, home) && new URL(location, home).origin === new URL(home).origin;
}

function wall(carrier: string, what: string, where: string): CarrierError {
  const code: CarrierErrorCode = WAITING_ROOM.test(where) ? 'OVERLOADED' : 'AUTH';
  const room = code === 'OVERLOADED' ? ', a waiting room' : '';
  return new CarrierError(code, `Cannot ask \`${carrier}\`: it answered ${what}${room}`);
}
