import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createRandom, type Random } from '../timetable/random.ts';
import type {
  Answer,
  RawRequest,
  ServerCoding,
  Wire,
  WireFaults,
  WireRequest,
} from '../wires/wire.ts';
import type { Gate } from './capacity.ts';
import { deliver, refuse } from './deliver.ts';
import { type Fault, isWireFault, strikesSearches } from './fault.ts';
import { askOwnCarrier, MAX_BODY_BYTES, type OwnCarrier, ownFaults } from './own-carriers.ts';
import type { Latency, Plan } from './plan.ts';
import type { RequestLog } from './request-log.ts';

/** One carrier on a server. */
export interface CarrierRoutes {
  readonly carrier: string;
  readonly seed: string;
  readonly log: RequestLog;
  readonly gate: Gate;
  /** Coding that the server prefers. Absent: answers are sent as the carrier gives them. */
  readonly coding?: ServerCoding;
  /** Returns the present plan. */
  plan(): Plan;
}

/** Adds the calls of a wire under the prefix of its carrier: each is counted, waits for its latency and meets its fault. */
export function addWireRoutes(app: FastifyInstance, wire: Wire, routes: CarrierRoutes): void {
  const meet = createCalls(routes);
  for (const call of wire.calls) {
    app.route({
      method: call.method,
      url: `/${routes.carrier}${call.path}`,
      ...meet({ wire, searchKey: call.search && keyOf(call) }, ({ raw, params, fault }) =>
        call.answer({ ...raw, params, ...(fault && { fault }) }),
      ),
    });
  }
  const { otherCalls } = wire;
  if (otherCalls === undefined) return;
  const others = meet({ wire }, ({ raw }) => otherCalls({ ...raw, params: {} }));
  addEveryCall(app, routes.carrier, others);
}

/** Adds a carrier of the user's own: every call under its prefix is a search, in the same way. */
export function addOwnRoutes(
  app: FastifyInstance,
  carrier: OwnCarrier,
  routes: CarrierRoutes,
): void {
  const { carrier: name, log } = routes;
  const asked = { carrier, onFailure: () => log.fail(name) };
  const served = createCalls(routes)({ wire: ownFaults, searchKey: keyOf({}) }, ({ raw, gone }) =>
    askOwnCarrier(name, asked, { ...raw, signal: gone }),
  );
  addEveryCall(app, name, served);
}

/** Adds a route for every call below a prefix that no other route has. */
function addEveryCall(app: FastifyInstance, name: string, served: ServedCall): void {
  for (const url of [`/${name}`, `/${name}/*`]) {
    app.route({ method: app.supportedMethods, url, bodyLimit: MAX_BODY_BYTES, ...served });
  }
}

function readRequest(carrier: string, request: FastifyRequest): RawRequest {
  const { pathname, searchParams } = new URL(`http://carrier${request.raw.url}`);
  const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  return {
    method: request.method,
    path: pathname.slice(`/${carrier}`.length) || '/',
    query: searchParams,
    headers: request.headers,
    body: bytes.toString(),
    bytes,
  };
}

function keyOf({ searchKey }: Pick<Wire['calls'][number], 'searchKey'>) {
  return (request: RawRequest): string => {
    const { method, path, query, body } = request;
    const asked = query.size > 0 ? `${path}?${query}` : path;
    return searchKey?.(request) ?? `${method} ${asked} ${body}`.trimEnd();
  };
}

/** A call to be answered. */
interface Call {
  readonly raw: RawRequest;
  readonly params: WireRequest['params'];
  /** The fault of the wire's own that strikes it. */
  readonly fault: WireRequest['fault'];
  /** Aborts when the client leaves. */
  readonly gone: AbortSignal;
}

/** The handlers of a route. */
interface ServedCall {
  onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

type MakeCall = (
  kind: {
    readonly wire: WireFaults;
    /** Returns what a search is counted by; `undefined`: the call is no search. */
    readonly searchKey?: ((request: RawRequest) => string) | undefined;
  },
  answer: (call: Call) => Answer | Promise<Answer>,
) => ServedCall;

/** Returns what makes a route of an answer: counts, capacity, latency, fault. */
function createCalls({ carrier, seed, log, gate, coding, plan }: CarrierRoutes): MakeCall {
  const latencies = createRandom(`${seed}/${carrier}/latencies`);
  const faults = createRandom(`${seed}/${carrier}/faults`);
  return ({ wire, searchKey }, answer) => ({
    async onRequest(_request, reply) {
      log.arrive(carrier, reply.raw);
    },
    async handler(request, reply) {
      const raw = readRequest(carrier, request);
      if (searchKey !== undefined) log.search(carrier, searchKey(raw));
      const client = new AbortController();
      const { signal: gone } = client;
      reply.raw.once('close', () => client.abort());
      const entered = gate.enter(gone);
      if (entered === undefined) return refuse(reply);
      const { latency, fault: planned } = plan();
      const fault = drawFault(planned, searchKey !== undefined, faults);
      const ms = drawLatency(latency, latencies);
      try {
        const slowedMs = Math.min(longestMs, ms * (await entered));
        if (slowedMs > 0) await wait(slowedMs, undefined, { signal: gone });
        const params = request.params as WireRequest['params'];
        const ofWire = fault && isWireFault(fault) ? fault : undefined;
        const call = { raw, params, fault: ofWire, gone };
        await deliver({
          reply,
          wire,
          fault,
          request: raw,
          coding,
          gone,
          answer: () => answer(call),
        });
      } catch (error) {
        if (!gone.aborted) throw error;
        reply.hijack();
      }
      return reply;
    },
  });
}

/** Draws whether a call meets the fault. Calls that it cannot strike draw nothing. */
function drawFault(fault: Fault | null, isSearch: boolean, random: Random): Fault | null {
  if (!fault || (!isSearch && strikesSearches(fault))) return null;
  return random.next() < fault.share ? fault : null;
}

const longestMs = 600_000;

/** 99 of 100 draws are below this standard normal value. */
const z99 = 2.3263478740408408;

/** Draws the milliseconds that the next call takes. */
export function drawLatency(latency: Latency, random: Random): number {
  switch (latency.kind) {
    case 'fixed':
      return latency.ms;
    case 'random':
      return random.below(1000);
    case 'lognormal': {
      const { p50Ms, p99Ms } = latency;
      // The transform of Box and Muller: a normal value from two uniform ones.
      const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
      const normal = radius * Math.cos(2 * Math.PI * random.next());
      return Math.min(longestMs, p50Ms * (p99Ms / p50Ms) ** (normal / z99));
    }
  }
}
