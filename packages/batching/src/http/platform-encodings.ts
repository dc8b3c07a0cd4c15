import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { EncodeBody } from './shared-bodies.ts';

const { constants } = zlib;

/**
 * Brotli's own default is 11: for the 24 kB of a JSON document 115 ms, and 1.7 kB. 5 takes 0.8 ms, and gives 1.9 kB. All work on
 * libuv's threads, so that the event loop goes on.
 */
const BROTLI_QUALITY = 5;

const encoders: Record<string, (body: Uint8Array) => Promise<Uint8Array>> = {
  br: (body) =>
    promisify(zlib.brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  // Node.js 20 has none.
  ...('zstdCompress' in zlib && { zstd: (body) => promisify(zlib.zstdCompress)(body) }),
  gzip: (body) => promisify(zlib.gzip)(body),
};

/** Content codings that this Node.js makes, the smallest bytes first. */
export const platformEncodings: readonly string[] = Object.keys(encoders);

/** Encodes by `node:zlib`. */
export const encodeByZlib: EncodeBody = (encoding, body) => {
  const encode = encoders[encoding];
  if (encode === undefined) throw new TypeError(`Cannot encode a body: no coding \`${encoding}\``);
  return encode(body);
};
