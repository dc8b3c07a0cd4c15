import { expect } from 'vitest';
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

/**
 * Yields the views in an answer of `/operator/events`, as they come. The body is taken at once: the platform cancels a body
 * without a reader when its response is collected as garbage.
 */
export function viewsIn(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<OperatorView, void> {
  return viewsOf(body?.values());
}

async function* viewsOf(
  chunks: AsyncIterable<Uint8Array> | undefined,
): AsyncGenerator<OperatorView, void> {
  let text = '';
  for await (const bytes of chunks ?? []) {
    text += Buffer.from(bytes).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}
