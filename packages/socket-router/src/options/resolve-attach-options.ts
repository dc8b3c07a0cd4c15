import type { RouteFunction } from '../contract/head.ts';
import type { AttachOptions } from '../contract/worker-handle.ts';
import { isServer } from '../worker/attachable-server.ts';
import { aFunction, milliseconds, oneOf, type Rules, resolveByRules } from './option-rules.ts';

const ACTION = 'attach worker';

const RULES: Rules = {
  route: aFunction,
  orphan: oneOf('exit', 'stay'),
  orphanGraceMs: milliseconds(0, 5000),
};

export interface ResolvedAttachOptions {
  readonly route: RouteFunction | undefined;
  readonly orphan: 'exit' | 'stay';
  readonly orphanGraceMs: number;
}

/**
 * Fills and checks what `attachWorker` takes.
 *
 * @throws TypeError or RangeError
 */
export function resolveAttachOptions(
  server: unknown,
  options: AttachOptions,
): ResolvedAttachOptions {
  if (!isServer(server)) {
    throw new TypeError(`Cannot ${ACTION}: server must be a server, got ${String(server)}`);
  }
  return resolveByRules(ACTION, options, RULES);
}
