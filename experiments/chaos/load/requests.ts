import { draw, randomOf } from '../../src/loading/random-from.ts';
import { NO_CLASS } from './no-class.ts';
import { type Question, searchTarget } from './questions.ts';

/** Behaviour of a client. */
export type ClientKind = 'kept' | 'single-use' | 'slow' | 'leaving';

/** Kind of route that a request is for. */
export type RouteKind =
  | 'search'
  | 'stream'
  | 'worms'
  | 'compute'
  | 'sink'
  | 'page'
  | 'stations'
  | 'state'
  | 'events'
  | 'looks';

/** One request of a load. */
export interface PlannedRequest {
  readonly id: number;
  /** Milliseconds since the start of the load. */
  readonly dueMs: number;
  readonly route: RouteKind;
  readonly client: ClientKind;
  readonly target: string;
  readonly accept: string;
  /** Bytes that a POST sends; 0: a GET. */
  readonly bodyBytes: number;
  readonly question?: Question;
  /** Milliseconds after which a leaving client leaves. */
  readonly leaveAfterMs?: number;
  /** Text that a right answer of this request alone contains. */
  readonly echo?: string;
}

const CLIENTS: readonly (readonly [ClientKind, number])[] = [
  ['kept', 5],
  ['single-use', 4],
  ['slow', 1],
  ['leaving', 2],
];
const ROUTES: readonly (readonly [RouteKind, number])[] = [
  ['search', 10],
  ['stream', 5],
  ['worms', 2],
  ['compute', 1],
  ['sink', 1],
  ['page', 2],
  ['stations', 1],
  ['state', 1],
  ['events', 1],
  ['looks', 2],
];
/** Words of the store's classes. */
const CLASSES = ['utilize', 'weave', 'view', NO_CLASS];
const STATIONS = ['7160000', '8503000', '8768600', '8101003'];
const LOOKS = ['/healthz', '/stats', '/metrics', '/config', '/operator/history', '/openapi.json'];
const LEAVE_MS = 400;
const SSE_MS = 2500;

/** Returns the n-th request of a load: it depends on the seed and n alone. */
export function requestOf(
  id: number,
  load: {
    readonly seed: number;
    readonly perSecond: number;
    readonly questions: readonly Question[];
  },
): PlannedRequest {
  const random = randomOf(load.seed, `request ${id}`);
  const dueMs = ((id + random()) * 1000) / load.perSecond;
  const [client] = draw(random, CLIENTS, ([, weight]) => weight);
  const [route] = draw(random, ROUTES, ([, weight]) => weight);
  const leaves = client === 'leaving' ? { leaveAfterMs: Math.floor(random() * LEAVE_MS) } : {};
  const base = { id, dueMs, route, client, accept: 'application/json', bodyBytes: 0, ...leaves };
  switch (route) {
    case 'search':
    case 'stream': {
      // By Zipf's law, so that some questions are asked by several at once.
      const ranks = load.questions.map((_, index) => index);
      const question = load.questions[draw(random, ranks, (rank) => 1 / (rank + 1))] as Question;
      const kinds = ['application/x-ndjson', 'text/event-stream'];
      const accept = route === 'search' ? base.accept : draw(random, kinds);
      return { ...base, accept, question, target: searchTarget(question) };
    }
    case 'worms': {
      const name = draw(random, CLASSES);
      return { ...base, target: `/api/v1/worms/${name}`, echo: name };
    }
    case 'compute':
      return { ...base, target: `/compute?ms=${Math.floor(random() * 5)}`, echo: '"number"' };
    case 'sink': {
      const bodyBytes = 1 + Math.floor(random() * 100_000);
      return { ...base, target: '/sink', bodyBytes, echo: `"bytes":${bodyBytes}` };
    }
    case 'page': {
      const target = draw(random, ['/', '/operator', '/docs']);
      return { ...base, target, accept: 'text/html', echo: '<html' };
    }
    case 'stations': {
      const uic = draw(random, STATIONS);
      return { ...base, target: `/stations/uic:${uic}`, echo: `"uic:${uic}"` };
    }
    case 'state':
      return { ...base, target: '/operator/state', echo: '"processes"' };
    case 'events': {
      // The stream has no end: its client leaves.
      const leaveAfterMs = SSE_MS + Math.floor(random() * SSE_MS);
      const events = { client: 'leaving', accept: 'text/event-stream', leaveAfterMs } as const;
      return { ...base, ...events, target: '/operator/events' };
    }
    case 'looks':
      return { ...base, target: draw(random, LOOKS), accept: '*/*' };
  }
}
