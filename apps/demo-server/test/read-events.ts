import { expect } from 'vitest';
import type { SearchAnswerEvent } from '../src/search/search-answer.ts';

/**
 * Reads the events of a search: `seen` has their types, and of a carrier its name. `until`: leaves after so many; `onEvent`: is
 * called with the number of those that came.
 */
export async function readEvents(
  url: string,
  {
    until = Number.POSITIVE_INFINITY,
    onEvent = () => {},
  }: { readonly until?: number; readonly onEvent?: (count: number) => void } = {},
): Promise<{ readonly seen: string[]; readonly last: SearchAnswerEvent | undefined }> {
  const response = await fetch(url, { headers: { accept: 'application/x-ndjson' } });
  expect(response.status).toBe(200);
  const seen: string[] = [];
  let last: SearchAnswerEvent | undefined;
  let text = '';
  const body = response.body as ReadableStream<Uint8Array>;
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = `${text}${chunk}`.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const event = JSON.parse(line) as SearchAnswerEvent;
      last = event;
      seen.push(event.type === 'carrier-status' ? event.status.carrier : event.type);
      onEvent(seen.length);
    }
    if (seen.length >= until) break;
  }
  return { seen, last };
}
