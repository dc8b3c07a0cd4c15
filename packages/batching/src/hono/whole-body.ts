/** Most bytes of a body that is shared. */
const MAX_BYTES = 1024 * 1024;

/**
 * Returns the bytes of a response if they are here: a turn of the event loop is enough to read them. `undefined` for a stream, and
 * above 1 MiB. The response can still be sent.
 */
export async function wholeBody(response: Response): Promise<Uint8Array | null | undefined> {
  if (response.body === null) return null;
  const reader = response.clone().body?.getReader();
  if (reader === undefined) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const later = nextTurn();
  for (;;) {
    const read = reader.read();
    const result = await Promise.race([read, later]);
    const tooLong = bytes > MAX_BYTES;
    if (result === 'later' || tooLong) {
      read.catch(() => {});
      reader.cancel().catch(() => {});
      return undefined;
    }
    if (result.done) return Buffer.concat(chunks);
    chunks.push(result.value);
    bytes += result.value.length;
  }
}

/** Resolves when what is ready has run. */
function nextTurn(): Promise<'later'> {
  return new Promise((resolve) => setTimeout(resolve, 0, 'later'));
}
