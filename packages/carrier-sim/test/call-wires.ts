/** Asks for bodies as they are: what is on the wire is what is read. */
const fetch: typeof globalThis.fetch = (url, { headers, ...init } = {}) =>
  globalThis.fetch(url, {
    ...init,
    headers: { 'accept-encoding': 'identity', ...(headers as Record<string, string>) },
  });

/** Renfe's four calls, one by one, as a browser makes them. */
export function visitRenfe(url: string) {
  const dwr = `${url}/renfe/vol/dwr/call/plaincall`;
  const post = (target: string, body: string, cookie: string) =>
    fetch(target, { method: 'POST', headers: { 'content-type': 'text/plain', cookie }, body });
  return {
    async open() {
      const response = await fetch(`${url}/renfe/vol/inicio.do`);
      return response.headers.get('set-cookie')?.split(';')[0] ?? '';
    },
    async generateId(cookie: string) {
      const response = await post(
        `${dwr}/__System.generateId.dwr`,
        'callCount=1\nc0-scriptName=__System\nscriptSessionId=\n',
        cookie,
      );
      return /handleCallback\("0","0","([^"]+)"\)/.exec(await response.text())?.[1] ?? '';
    },
    submit(cookie: string, search: { origin: string; destination: string; date: string }) {
      const form = new URLSearchParams({
        cdgoOrigen: search.origin,
        cdgoDestino: search.destination,
        FechaIdaSel: search.date.split('-').reverse().join('/'),
        adultos_: '1',
        tipoBusqueda: 'autocomplete',
      });
      return fetch(`${url}/renfe/vol/buscarTren.do`, {
        method: 'POST',
        headers: { cookie },
        body: form,
      });
    },
    list(cookie: string, dwrSessionId: string) {
      return post(
        `${dwr}/trainEnlacesManager.getTrainsList.dwr`,
        `callCount=1\nbatchId=1\nscriptSessionId=${dwrSessionId}/page-1\n`,
        cookie,
      );
    },
  };
}

/** A whole search at Renfe, with Renfe's station codes. */
export async function searchRenfe(
  url: string,
  search: { origin: string; destination: string; date: string },
): Promise<Response> {
  const visit = visitRenfe(url);
  const cookie = await visit.open();
  const id = await visit.generateId(cookie);
  await visit.submit(cookie, search);
  return visit.list(cookie, id);
}

export function loginOuigo(url: string, login: unknown): Promise<Response> {
  return fetch(`${url}/ouigo/Token/login`, { method: 'POST', body: JSON.stringify(login) });
}

export async function tokenOfOuigo(url: string): Promise<string> {
  const response = await loginOuigo(url, { username: 'anna', password: 'secret' });
  const { token } = (await response.json()) as { token: string };
  return token;
}

/** A search at Ouigo for one adult, with a token or, by default, with a new one. */
export async function searchOuigo(
  url: string,
  search: { origin: string; destination: string; date: unknown; token?: string },
): Promise<Response> {
  const { origin, destination, date } = search;
  const passengers = [{ discount_cards: [], disability_type: 'NH', type: 'A' }];
  return fetch(`${url}/ouigo/Sale/journeysearch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${search.token ?? (await tokenOfOuigo(url))}` },
    body: JSON.stringify({ origin, destination, outbound_date: date, passengers }),
  });
}

export function getAvlo(url: string, date: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/avlo/timetable/${date}.json`, init);
}
