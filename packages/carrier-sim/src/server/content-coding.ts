import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip } from 'node:zlib';
import type { Answer, ServerCoding } from '../wires/wire.ts';

type ContentCoding = ServerCoding | 'deflate';

/** Shorter bodies are sent as they are: 1 kB is what servers are usually set to. */
const SHORTEST_BYTES = 1024;
/** Levels at which servers compress what they make for one request. */
const GZIP = { level: 1 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders: Readonly<Record<ContentCoding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  deflate: (bytes) => promisify(deflate)(bytes, GZIP),
  gzip: (bytes) => promisify(gzip)(bytes, GZIP),
};

/** Returns an answer whose body is in a coding. */
export async function encodeAnswer(answer: Answer, coding: ContentCoding): Promise<Answer> {
  const body = await encoders[coding](Buffer.from(answer.body));
  return named({ ...answer, body }, coding);
}

/** Returns an answer that names a coding, whatever its body is in. */
export function named(answer: Answer, coding: string): Answer {
  const headers = { 'content-encoding': coding, vary: 'accept-encoding' };
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Returns an answer as a server sends it that prefers a coding: compressed, if the client takes that and the body is no short one. */
export async function negotiate(
  answer: Answer,
  { prefers, accepts }: { readonly prefers: ServerCoding; readonly accepts: unknown },
): Promise<Answer> {
  if (Buffer.byteLength(answer.body) < SHORTEST_BYTES || 'content-encoding' in answer.headers)
    return answer;
  const taken = readAccepted(accepts);
  const codings: readonly ServerCoding[] = [prefers, 'gzip', 'br'];
  const coding = codings.find((one) => taken.has(one));
  return coding === undefined ? answer : encodeAnswer(answer, coding);
}

/** Returns the codings of `Accept-Encoding` (RFC 9110, 12.5.3), without codings that are refused by weight 0. */
function readAccepted(header: unknown): ReadonlySet<string> {
  const parts = typeof header === 'string' ? header.toLowerCase().split(',') : [];
  const taken = parts.map((part) => part.split(';').map((text) => text.trim()));
  return new Set(
    taken.flatMap(([name = '', weight]) => (/^q=0(\.0*)?$/.test(weight ?? '') ? [] : [name])),
  );
}
