import type { IncomingMessage } from 'node:http';
import { createHeadReader } from '../reading/http/head-reader.ts';
import type { HeadState } from '../reading/http/head-state.ts';

/** The head of a request that was read, as bytes again; blanks around values are gone. */
export function headBytesOf(request: IncomingMessage): Buffer {
  const { method, url, httpVersion, rawHeaders } = request;
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}

/**
 * Reads the head of a request as mode `socket` would: what Node takes and that refuses is refused in mode `passthru`
 * too. The length was bounded when Node read it.
 */
export function readAgain(request: IncomingMessage): HeadState {
  return createHeadReader({ headBytes: Number.MAX_SAFE_INTEGER }).push(headBytesOf(request));
}
