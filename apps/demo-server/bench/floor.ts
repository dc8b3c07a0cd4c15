import assert from 'node:assert/strict';
import { type CarrierHttpRequest, createSearch, type SearchQuery } from '@ticketing/core';
import { Pool } from 'undici';
import type { Carriers } from '../src/carriers/carriers.ts';
import { ASKED } from './simulator.ts';

type Call = Pick<CarrierHttpRequest, 'method' | 'headers' | 'body'> & { readonly path: string };

/** The calls of one search, as the library made them: calls of Renfe one after the other, the others at once. */
interface RecordedSearch {
  readonly renfe: readonly [page: Call, session: Call, form: Call, list: Call];
  readonly others: readonly Call[];
}

/** What a search costs at least. */
export interface Floor {
  /** Upstream calls of one search. */
  readonly calls: number;
  /** Journeys of one search, in the mean. */
  readonly journeys: number;
  /** Makes the calls of the query at this place by undici alone, and parses the bytes. */
  search(place: number): Promise<void>;
  close(): Promise<void>;
}

/** Records the calls that the library makes for each query, and proves that the same calls get the same bytes. */
export async function recordFloor(
  { byName, http }: Carriers,
  url: string,
  queries: readonly SearchQuery[],
): Promise<Floor> {
  let bytes = new Map<string, string>();
  let calls: { carrier: string; call: Call }[] = [];
  const search = createSearch({
    carriers: ASKED.map((name) => byName[name]),
    http: (carrier) => ({
      async send(request) {
        const { method, headers, body, url: target } = request;
        const path = new URL(target).pathname;
        calls.push({ carrier, call: { method, headers, body, path } });
        const response = await http.clientOf(carrier).send(request);
        bytes.set(`${method} ${path}`, Buffer.from(response.body).toString());
        return response;
      },
    }),
  });
  const bare = createBare(url);
  const recorded: RecordedSearch[] = [];
  let journeys = 0;
  // The first search logs in.
  await search.search(queries[0] as SearchQuery);
  for (const query of queries) {
    bytes = new Map();
    calls = [];
    const result = await search.search(query);
    assert.ok(result.complete);
    journeys += result.journeys.length;
    const one = calls.filter(({ carrier }) => carrier === 'renfe').map(({ call }) => call);
    const others = calls.filter(({ carrier }) => carrier !== 'renfe').map(({ call }) => call);
    assert.equal(one.length, 4);
    const made: RecordedSearch = { renfe: one as unknown as RecordedSearch['renfe'], others };
    const texts = await bare.search(made);
    assert.equal(texts.size, bytes.size);
    for (const [call, text] of bytes) {
      // A session has another id each time.
      if (!call.includes('generateId')) assert.equal(texts.get(call), text, call);
    }
    recorded.push(made);
  }
  await search.close();
  return {
    calls: calls.length,
    journeys: journeys / recorded.length,
    async search(place) {
      await bare.search(recorded[place % recorded.length] as RecordedSearch);
    },
    close: bare.close,
  };
}

/** A search as one writes it without a library: no limits, no deadline, no journeys. */
function createBare(url: string) {
  const pools = ASKED.map(() => new Pool(url));
  const [ofRenfe, forOthers] = pools as [Pool, Pool];

  async function ask(pool: Pool, { method, path, headers = {}, body }: Call) {
    const answer = await pool.request({ method, path, headers, body: body ?? null });
    return { headers: answer.headers, text: await answer.body.text() };
  }

  async function askRenfe(
    { renfe: [page, session, form, list] }: RecordedSearch,
    texts: Map<string, string>,
  ): Promise<unknown> {
    const keep = ({ method, path }: Call, text: string): string => {
      texts.set(`${method} ${path}`, text);
      return text;
    };
    const first = await ask(ofRenfe, page);
    keep(page, first.text);
    const cookie = String(first.headers['set-cookie']).split(';', 1)[0] ?? '';
    const own = (call: Call): Call => ({ ...call, headers: { ...call.headers, cookie } });
    const reply = keep(session, (await ask(ofRenfe, own(session))).text);
    const id = /"0","0","([^"]+)"/.exec(reply)?.[1] ?? '';
    keep(form, (await ask(ofRenfe, own(form))).text);
    const body = String(list.body).replace(
      /scriptSessionId=.*/,
      `scriptSessionId=${id}/${id.slice(-8)}`,
    );
    const script = keep(list, (await ask(ofRenfe, own({ ...list, body }))).text);
    return parseScript(script);
  }

  return {
    /** Returns the texts by their calls. */
    async search(recorded: RecordedSearch): Promise<ReadonlyMap<string, string>> {
      const texts = new Map<string, string>();
      const values = await Promise.all([
        askRenfe(recorded, texts),
        ...recorded.others.map(async (call) => {
          const { text } = await ask(forOthers, call);
          texts.set(`${call.method} ${call.path}`, text);
          return JSON.parse(text) as unknown;
        }),
      ]);
      assert.ok(values.every((value) => typeof value === 'object'));
      return texts;
    },
    async close(): Promise<void> {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

/** Makes JSON of the list in a script of Renfe, by one replacement. */
function parseScript(text: string): unknown {
  const literal = text.slice(text.indexOf('{listado'), text.lastIndexOf(']}') + 2);
  return JSON.parse(literal.replace(/([{,])(\w+):/g, '$1"$2":'));
}
