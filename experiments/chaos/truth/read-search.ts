import type { Journey } from '@ticketing/core';
import type { SearchAnswer } from './compare.ts';

interface StreamEvent {
  readonly type: string;
  readonly query?: SearchAnswer['query'];
  readonly journeys?: readonly Journey[];
  readonly removed?: readonly string[];
  readonly carriers?: SearchAnswer['carriers'];
  readonly status?: SearchAnswer['carriers'][number];
  readonly complete?: boolean;
}

/** Reads a document. @throws SyntaxError for what is no JSON */
export function readDocument(text: string): SearchAnswer {
  const { query, journeys = [], carriers = [], complete = false } = JSON.parse(text);
  return { query, journeys, carriers, complete };
}

/** Puts a stream of events together, NDJSON or server-sent events. @throws SyntaxError for a line that is no event */
export function readStream(text: string): SearchAnswer {
  const events = text
    .split('\n')
    .map((line) => line.replace(/^data: ?/, ''))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as StreamEvent);
  const journeys = new Map<string, Journey>();
  const statuses = new Map<string, SearchAnswer['carriers'][number]>();
  let query: SearchAnswer['query'];
  let last: StreamEvent | undefined;
  for (const event of events) {
    query = event.query ?? query;
    for (const id of event.removed ?? []) journeys.delete(id);
    for (const journey of event.journeys ?? []) journeys.set(journey.id, journey);
    const told = event.type === 'search-done' ? event.carriers : event.status && [event.status];
    for (const status of told ?? []) statuses.set(status.carrier, status);
    last = event;
  }
  const ends = { 'search-done': 'done', 'search-failed': 'failed' } as const;
  const stream = ends[last?.type as keyof typeof ends] ?? 'open';
  return {
    ...{ query, stream, journeys: [...journeys.values()], carriers: [...statuses.values()] },
    complete: stream === 'done' && last?.complete === true,
  };
}
