import type { Answer } from '../answer.ts';
import { createBoundedMap } from '../bounded-map.ts';
import { stations } from '../timetable/network.ts';
import { createRandom } from '../timetable/random.ts';
import type { Wire, WireContext, WireRequest } from '../wire.ts';
import { writeDwrScript } from './dwr-script.ts';
import { encodeRenfe } from './encode-renfe.ts';

/** What Renfe remembers of a visitor between calls. */
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

/** Creates Renfe's wire: four calls, and the search kept in the session of the first call's cookie. */
export function createRenfeWire(context: WireContext): Wire {
  const ids = createRandom(`${context.seed}/renfe/sessions`);
  const sessions = createBoundedMap<RenfeSession>(maxSessions);
  const sessionOf = ({ headers }: WireRequest): RenfeSession | undefined => {
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
        answer(request) {
          const session = sessionOf(request);
          const [claimed] = /^scriptSessionId=(.*)$/m.exec(request.body)?.[1]?.split('/') ?? [];
          if (!session?.search || !claimed || claimed.trim() !== session.dwrSessionId) {
            return complaint('U001');
          }
          const finding = context.find(session.search);
          if (finding.kind === 'not-served') return complaint('U002');
          if (finding.kind === 'date-not-on-sale') return complaint('U003');
          return script(encodeRenfe(finding.trains));
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
