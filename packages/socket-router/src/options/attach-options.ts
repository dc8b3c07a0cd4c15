import type { ListenOptions } from 'node:net';
import {
  aFunction,
  anObject,
  milliseconds,
  type Rule,
  type Rules,
  resolveByRules,
  wrongOption,
} from '@ticketing/kit';
import type { RouteFunction } from '../contract/head.ts';
import type { LeaveOptions } from '../contract/leave-options.ts';

/** Options of `attachServer`. */
export interface AttachOptions {
  /** The router's own function, needed with `laterRequests: 'forward'`: the worker routes later requests by it. */
  readonly route?: RouteFunction | undefined;
  /** Milliseconds for open connections when the router's process has died; then this process exits. Default 5,000. */
  readonly orphanGraceMs?: number | undefined;
  /**
   * Serves alone where no router has started this process: `node worker.js`, a debugger and a test run the same program. The server
   * listens by itself. SIGTERM, SIGINT and SIGHUP end the process with code 0 once it has answered, within the times of this option,
   * or the defaults of `close()`. Only processes of `forkWorkers` and of node:cluster have a router then. Default `false`: such a
   * process is refused.
   */
  readonly standalone?: boolean | LeaveOptions | undefined;
  /** Address for `standalone`, as in `server.listen`. Required with it. */
  readonly listen?: ListenOptions | undefined;
}

const ATTACH_RULES: Rules = {
  route: aFunction,
  orphanGraceMs: milliseconds(0, 5000),
  standalone: {
    expected: 'true, false or an object with graceMs and lameDuckMs',
    test: (value) => typeof value === 'boolean' || anObject.test(value),
  },
  listen: {
    expected: 'an object with port or path',
    test: (value) => ['port', 'path', 'fd'].some((name) => name in Object(value)),
  },
};

export interface ResolvedAttachOptions {
  readonly route: RouteFunction | undefined;
  readonly orphanGraceMs: number;
  /** Where and within which times it serves alone; `undefined` if it must not. */
  readonly alone: { readonly listen: ListenOptions; readonly leave: Leave } | undefined;
}

/** Checks a server and the options of `attachServer`, and fills in the defaults. @throws TypeError or RangeError */
export function resolveAttachOptions(
  server: unknown,
  options: AttachOptions,
): ResolvedAttachOptions {
  const { emit, listen, address } = Object(server) as Record<string, unknown>;
  if (![emit, listen, address].every((method) => typeof method === 'function')) {
    const got = typeof server === 'function' ? 'a function' : String(server);
    const cure = typeof server === 'function' ? '; give a listener to `http.createServer`' : '';
    throw new TypeError(`Cannot attach server: \`server\` must be a server, got ${got}${cure}`);
  }
  const {
    standalone = false,
    listen: given,
    ...resolved
  } = resolveByRules<AttachOptions & Pick<ResolvedAttachOptions, 'route' | 'orphanGraceMs'>>(
    'attach server',
    options,
    ATTACH_RULES,
  );
  if (standalone === false) {
    if (given === undefined) return { ...resolved, alone: undefined };
    throw new TypeError(
      'Cannot attach server: `listen` needs `standalone`, because the router listens for its workers',
    );
  }
  if (given === undefined) {
    throw wrongOption('attach server', 'listen', ATTACH_RULES['listen'] as Rule, given);
  }
  const leave = resolveLeave('attach server', standalone === true ? {} : standalone);
  return { ...resolved, alone: { listen: given, leave } };
}

const LEAVE_RULES: Rules = { graceMs: milliseconds(0, 8000), lameDuckMs: milliseconds(0) };

/** Default of `lameDuckMs`. */
const LAME_DUCK_MS = 2000;

/** {@link LeaveOptions}, filled. */
export interface Leave {
  readonly graceMs: number;
  readonly lameDuckMs: number;
}

/** Checks how a worker or a router leaves, and fills in the defaults. @throws TypeError or RangeError */
export function resolveLeave(action: string, options: LeaveOptions = {}): Leave {
  const { graceMs, lameDuckMs = Math.min(LAME_DUCK_MS, graceMs / 2) } = resolveByRules<
    LeaveOptions & { readonly graceMs: number }
  >(action, options, LEAVE_RULES);
  if (lameDuckMs > graceMs) {
    const expected = `0 to \`graceMs\` (${graceMs})`;
    throw wrongOption(action, 'lameDuckMs', { expected, range: true }, lameDuckMs);
  }
  return { graceMs, lameDuckMs };
}
