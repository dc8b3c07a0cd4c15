import type { IncomingMessage } from 'node:http';
import { createHeadReader } from './head-reader.ts';
import type { HeadState } from './head-state.ts';
import { headBytesOf } from './head-text.ts';

/**
 * Reads the head of a parsed request with the reader of mode `socket`, so that a proxy refuses the same
 * requests. Node has limited its length before.
 */
export function readAgain(request: IncomingMessage): HeadState {
  return createHeadReader({ headBytes: Number.MAX_SAFE_INTEGER }).push(headBytesOf(request));
}
