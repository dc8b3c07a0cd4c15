import type { OperatorView } from '../src/operator/view-schema.ts';

/** The views in an answer of `/operator/events`, as they come. */
export async function* viewsIn(
  body: AsyncIterable<Uint8Array> | null,
): AsyncGenerator<OperatorView, void> {
  let text = '';
  for await (const bytes of body ?? []) {
    text += Buffer.from(bytes).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}
