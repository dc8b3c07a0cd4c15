import type { OperatorView } from '../src/operator/view-schema.ts';

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
