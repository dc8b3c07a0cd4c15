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
