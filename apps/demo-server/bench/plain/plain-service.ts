// The search as one writes it without these libraries: Fastify, undici, p-limit and dataloader, with the adapters' `request` and
// `normalise` and one merge: writing three wires by hand is not what is compared. `plain-service.ts URL_OF_CARRIERS DEADLINE_MS`; prints its address.
import { createAvlo, createOuigo, createRenfe, stationTable } from '@ticketing/carriers';
import {
  type Carrier,
  CarrierError,
  type CarrierHttp,
  type CarrierQuery,
  type Journey,
  mergeJourneys,
  type Station,
  sortJourneys,
} from '@ticketing/core';
import { openStations } from '@ticketing/stations';
import DataLoader from 'dataloader';
import { fastify } from 'fastify';
import pLimit from 'p-limit';
import { Agent, request } from 'undici';

const [, , carriersUrl = '', deadlineText = '2000'] = process.argv;
const deadlineMs = Number(deadlineText);
/** Requests of one carrier at a time. */
const AT_ONCE = 64;

interface Question {
  readonly origin: Station;
  readonly destination: Station;
  readonly date: string;
}

const credentials = { username: 'bench', password: 'bench' };
const carriers: readonly Carrier[] = [
  createRenfe({ baseUrl: `${carriersUrl}/renfe` }),
  createOuigo({ baseUrl: `${carriersUrl}/ouigo`, credentials }),
  createAvlo({ baseUrl: `${carriersUrl}/avlo` }),
];
const agent = new Agent({ connections: AT_ONCE, pipelining: 1 });
const limits = new Map(carriers.map(({ id }) => [id, pLimit(AT_ONCE)]));

const http: CarrierHttp = {
  async send({ method, url, headers, body, signal, deadline, alsoResolve = [] }) {
    const limit = AbortSignal.timeout(Math.max(1, deadline - Date.now()));
    const answer = await request(url, {
      ...{ method, dispatcher: agent, headers: headers ?? null, body: body ?? null },
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const { statusCode } = answer;
    if (statusCode >= 400 && !alsoResolve.includes(statusCode)) {
      await answer.body.dump();
      throw new CarrierError('UPSTREAM', `Got status ${statusCode}`);
    }
    const bytes = await answer.body.bytes();
    return {
      ...{ status: statusCode, headers: answer.headers, receivedAt: Date.now() },
      body: new Uint8Array(bytes),
    };
  },
};

/** Asks one carrier, until the deadline. */
async function askOne(carrier: Carrier, { origin, destination, date }: Question) {
  const query: CarrierQuery = { origin, destination, date, passengers: [{}] };
  const startedAt = Date.now();
  const signal = AbortSignal.timeout(deadlineMs);
  const context = { signal, deadline: startedAt + deadlineMs, http };
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const asked = limits.get(carrier.id)?.(async () =>
    carrier.normalise(await carrier.request(query, context), query),
  );
  return Promise.race([asked, late]);
}

/** Asks every carrier, and merges what came in time. */
async function search(question: Question): Promise<string> {
  const answers = await Promise.allSettled(carriers.map((carrier) => askOne(carrier, question)));
  const journeys: Journey[] = [];
  const statuses = answers.map((answer, place) => {
    const { id } = carriers[place] as Carrier;
    if (answer.status === 'fulfilled') {
      const found = answer.value?.journeys ?? [];
      journeys.push(...found);
      return { carrier: id, state: 'ok', found: found.length };
    }
    const { name, code, message } = answer.reason as Error & { readonly code?: string };
    const isEmpty = code === 'NOT_SERVED' || code === 'NO_RESULTS';
    const state = isEmpty ? 'empty' : name === 'TimeoutError' ? 'timeout' : 'error';
    return { carrier: id, state, message };
  });
  return JSON.stringify({
    query: question,
    journeys: sortJourneys(mergeJourneys(journeys), 'departure'),
    carriers: statuses,
    complete: statuses.every(({ state }) => state === 'ok' || state === 'empty'),
  });
}

/** Equal questions at a time are one: the cache is emptied of a question when it is answered. */
const searches = new DataLoader<Question, string, string>(
  async (questions) => Promise.all(questions.map(search)),
  {
    cacheKeyFn: ({ origin, destination, date }) => `${origin.id} ${destination.id} ${date}`,
  },
);

const names = await openStations();
function stationOf(text: string): Station | undefined {
  const id = names.suggest(text).find(({ kind }) => kind === 'station')?.id;
  return id === undefined ? undefined : stationTable.byId(id);
}

const app = fastify();
app.get<{ Querystring: { origin?: string; destination?: string; date?: string } }>(
  '/search',
  async ({ query: { origin: from = '', destination: to = '', date = '' } }, reply) => {
    const [origin, destination] = [stationOf(from), stationOf(to)];
    if (origin === undefined || destination === undefined || !/^\d{4}-\d\d-\d\d$/.test(date)) {
      return reply.code(400).send({ message: 'origin, destination and date must be given' });
    }
    const question = { origin, destination, date };
    const body = await searches.load(question).finally(() => searches.clear(question));
    return reply.type('application/json; charset=utf-8').send(body);
  },
);
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
