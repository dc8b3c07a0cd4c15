import {
  aFlag,
  aFunction,
  type Filled,
  oneOf,
  type Rule,
  resolveByRules,
  whole,
  wholeBetween,
} from '@ticketing/kit';
import { encodeByZlib, platformEncodings } from './platform-encodings.ts';
import type { SharedBodiesOptions } from './shared-bodies.ts';

/** Every option filled and checked. */
export type ResolvedSharedBodiesOptions = Filled<SharedBodiesOptions>;

// A token of RFC 9110.
const token = /^[!#$%&'+.^_`|~0-9A-Za-z-]+$/;

/** `*` is no coding, and `identity` is none either: it is offered always. */
function codings(known: readonly string[] | undefined): Rule {
  const isCoding = (name: unknown): boolean =>
    known === undefined
      ? typeof name === 'string' && token.test(name) && name.toLowerCase() !== 'identity'
      : known.includes(name as string);
  return {
    expected:
      known === undefined
        ? 'a list of content codings'
        : `a list of ${known.join(', ')}, or have option \`encode\` beside it`,
    fallback: platformEncodings,
    test: (value) => Array.isArray(value) && value.every(isCoding),
  };
}

const rules = {
  preference: oneOf('server', 'client'),
  encode: { ...aFunction, fallback: encodeByZlib },
  minBytes: wholeBetween(0, Number.MAX_SAFE_INTEGER, 1024),
  etag: { ...aFlag, fallback: true },
  maxEncoded: whole(1000),
  maxBytes: whole(64 * 1024 * 1024),
  concurrency: whole(4),
  maxQueued: wholeBetween(0, Number.MAX_SAFE_INTEGER, 1000),
};

/**
 * Fills and checks the options of shared bodies.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveSharedBodiesOptions(
  options: SharedBodiesOptions,
): ResolvedSharedBodiesOptions {
  const hasOwn = Object(options).encode !== undefined;
  const encodings = codings(hasOwn ? undefined : platformEncodings);
  const resolved = resolveByRules<ResolvedSharedBodiesOptions>('create shared bodies', options, {
    ...rules,
    encodings,
  });
  return { ...resolved, encodings: resolved.encodings.map((name) => name.toLowerCase()) };
}
