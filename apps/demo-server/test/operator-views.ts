import { expect } from 'vitest';
import type { History } from '../src/figures/trend-schemas.ts';
import { OperatorView } from '../src/figures/view-schema.ts';
import { getFrom } from './demo.ts';
import { schemaErrors } from './schema-errors.ts';

/** What a server shows its operator, which is as its schema says. */
export async function stateOf({ url }: { readonly url: string }): Promise<OperatorView> {
  const { status, body } = await getFrom(`${url}/operator/state`);
  expect([status, schemaErrors(OperatorView, body)]).toEqual([200, []]);
  return body;
}

/** Sends to a server what a page of it would, unless `headers` say otherwise. */
export function askAsPage(
  { url }: { readonly url: string },
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): ReturnType<typeof getFrom> {
  const own = { 'content-type': 'application/json', origin: url };
  return getFrom(url + path, {
    method,
    headers: { ...own, ...headers },
    body: JSON.stringify(body),
  });
}

/** An event of `/operator/events`. */
export type FeedEvent =
  | { readonly event: 'history'; readonly data: History }
  | { readonly event: 'view'; readonly data: OperatorView };

/**
 * Yields the events in an answer of `/operator/events`, as they come. The body is taken at once: the platform cancels a body
 * without a reader when its response is collected as garbage.
 */
export function eventsIn(body: ReadableStream<Uint8Array> | null): AsyncGenerator<FeedEvent, void> {
  return eventsOf(body?.values());
}

async function* eventsOf(
  chunks: AsyncIterable<Uint8Array> | undefined,
): AsyncGenerator<FeedEvent, void> {
  let text = '';
  for await (const bytes of chunks ?? []) {
    text += Buffer.from(bytes).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, event, data = ''] = /^event: (.*)\ndata: (.*)$/m.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (event !== undefined) yield { event, data: JSON.parse(data) } as FeedEvent;
    }
  }
}

/** Yields the views alone. */
export function viewsIn(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<OperatorView, void> {
  return viewsAmong(eventsIn(body));
}

async function* viewsAmong(
  events: AsyncGenerator<FeedEvent, void>,
): AsyncGenerator<OperatorView, void> {
  for await (const { event, data } of events) if (event === 'view') yield data;
}
