import type { SearchAnswerEvent } from '../../../search/search-answer.ts';
import type { ShownProblem } from '../../form/shown-problem.ts';
import type { FeedEvent } from '../../results/search-state.ts';

/**
 * Asks the server, and calls back with each event. Resolves when the search has ended in whatever way; after an abort
 * it calls back no more.
 */
export async function follow(
  url: string,
  {
    asked,
    signal,
    onEvent,
  }: {
    /** Carriers to ask, and the journeys that stay. */
    asked: Omit<Extract<FeedEvent, { readonly type: 'asked' }>, 'type'>;
    signal: AbortSignal;
    onEvent: (event: FeedEvent) => void;
  },
): Promise<void> {
  const emit = (event: FeedEvent): void => {
    if (!signal.aborted) onEvent(event);
  };
  emit({ type: 'asked', ...asked });
  let isDone = false;
  try {
    const response = await fetch(url, { headers: { accept: 'application/x-ndjson' }, signal });
    if (!response.ok || response.body === null) {
      emit({ type: 'refused', problem: (await response.json()) as ShownProblem });
      return;
    }
    for await (const line of readLines(response.body)) {
      const event = JSON.parse(line) as SearchAnswerEvent;
      isDone ||= event.type === 'search-done' || event.type === 'search-failed';
      emit(event);
    }
  } catch {
    // A network that fails, an answer cut off or of another kind: all leave the search without its end.
  }
  if (!isDone) emit({ type: 'broken' });
}

/**
 * Reads a stream of bytes line by line; lines end with `\n`, the last one may lack it. Linear in the bytes. Leaving the
 * loop cancels the stream.
 */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  // Pieces of a line that has not ended: joined once, so that a long line costs no more than its length.
  let pieces: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      const [first = '', ...rest] = text.split('\n');
      pieces.push(first);
      for (const next of rest) {
        yield pieces.join('');
        pieces = [next];
      }
      if (done) break;
    }
    const last = pieces.join('');
    if (last !== '') yield last;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
