import type { AnswerHeaders, HeaderValue } from './header-fields.ts';
import type { SharedAnswer } from './shared-answer.ts';
import type { HttpResponse } from './when-left.ts';

/** End of a response. */
interface EndedResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly payload: Uint8Array | null;
}

/** Receives what becomes of a response. Both may be called several times. */
interface ResponseWatcher {
  /** Called before a response ends whose bytes are known. */
  readonly ended: (response: EndedResponse) => void;
  /** Called when the bytes come over time, by another way or never. */
  readonly unshared: () => void;
}

type Method = (...values: unknown[]) => unknown;

/** Most bytes of an answer that is written in pieces and shared. */
const MAX_PIECES_BYTES = 1024 * 1024;

/** Methods by which an answer comes in another way than by `write` and `end`. */
const otherWays = ['flushHeaders', 'addTrailers', 'destroy', 'createPushResponse'] as const;

/** Methods that change a response or send it. */
const changes = [
  'setHeader',
  'setHeaders',
  'appendHeader',
  'removeHeader',
  'writeHead',
  'write',
  'end',
  'flushHeaders',
  'addTrailers',
] as const;

/**
 * Watches a response and lets it go on. Pieces that are written and ended in one turn of the event loop are one body, as servers of
 * `fetch` write them; anything later is a stream.
 *
 * @returns a function that has the handler's later writes ignored, once another answer has been sent
 */
export function watchResponse(response: HttpResponse, watcher: ResponseWatcher): () => void {
  const target = response as HttpResponse & Record<string, Method>;
  const pieces: Buffer[] = [];
  let pieceBytes = 0;
  let writtenHead: AnswerHeaders = {};
  let isOver = false;
  let ignoresLater = false;

  const giveUp = (): void => {
    if (isOver) return;
    isOver = true;
    watcher.unshared();
  };
  const add = (chunk: unknown, encoding: unknown): void => {
    const piece = bytesOf(chunk, encoding);
    if (piece === undefined) return;
    pieceBytes += piece.length;
    if (pieceBytes > MAX_PIECES_BYTES && pieces.length > 0) giveUp();
    else pieces.push(piece);
  };
  const replace = (name: string, before: (values: unknown[]) => void, after = noMore): void => {
    const original = target[name];
    if (original === undefined) return;
    Object.assign(response, {
      [name](...values: unknown[]) {
        before(values);
        const result = original.apply(response, values);
        after();
        return result;
      },
    });
  };

  replace('writeHead', (values) => {
    writtenHead = headersOf(values.find((value) => typeof value === 'object' && value !== null));
  });
  replace('write', ([chunk, encoding]) => {
    if (isOver) return;
    if (pieces.length === 0) setImmediate(giveUp);
    add(chunk, encoding);
  });
  const end = ([chunk, encoding]: unknown[]): void => {
    if (isOver) return;
    add(chunk, encoding);
    if (isOver) return;
    isOver = true;
    watcher.ended({
      status: response.statusCode,
      headers: { ...(response.getHeaders() as AnswerHeaders), ...writtenHead },
      payload: pieces.length === 0 ? null : Buffer.concat(pieces),
    });
  };
  replace('end', end, () => {
    if (ignoresLater) ignoreAll(response);
  });
  for (const name of otherWays) replace(name, giveUp);

  return () => {
    isOver = true;
    if (response.writableEnded) ignoreAll(response);
    else ignoresLater = true;
  };
}

function noMore(): void {}

/** Writes an answer that another request's handler made. */
export function writeAnswer(response: HttpResponse, answer: SharedAnswer): void {
  response.statusCode = answer.status;
  for (const name of answer.removed) response.removeHeader(name);
  for (const [name, value] of answer.headers) {
    const own = name === 'set-cookie' ? (response.getHeader(name) ?? []) : [];
    response.setHeader(
      name,
      Array.isArray(value) ? [...[own].flat().map(String), ...value] : (value as string),
    );
  }
  if (answer.payload == null) response.end();
  else response.end(answer.payload);
}

/** Makes a response that has been sent take every change and drop it: its handler is late. */
function ignoreAll(response: HttpResponse): void {
  for (const name of changes) {
    Object.assign(response, { [name]: () => (name === 'write' ? true : response) });
  }
  Object.defineProperty(response, 'headersSent', { value: false, configurable: true });
}

function bytesOf(chunk: unknown, encoding: unknown): Buffer | undefined {
  if (typeof chunk === 'string') {
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  }
  // Copied: the writer may use its memory again once it is sent.
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : undefined;
}

/** Returns headers of `writeHead`: an object, or names and values by turns. */
function headersOf(written: unknown): AnswerHeaders {
  const headers: Record<string, HeaderValue> = {};
  const pairs = Array.isArray(written)
    ? Array.isArray(written[0])
      ? written
      : written.flatMap((name, index) => (index % 2 === 0 ? [[name, written[index + 1]]] : []))
    : Object.entries(written ?? {});
  for (const [name, value] of pairs) {
    const lowerCase = String(name).toLowerCase();
    const known = headers[lowerCase];
    headers[lowerCase] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}
