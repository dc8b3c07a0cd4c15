import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  aFunction,
  anObject,
  checkByRules,
  showValue,
  wholeBetween,
  wrongOption,
} from '@ticketing/kit';
import { isCarrier } from '../timetable/sim-carriers.ts';
import { type Answer, jsonAnswer, type RawRequest, type WireFaults } from '../wires/wire.ts';

/** A call to a carrier of your own. */
export interface OwnRequest extends RawRequest {
  /** Aborts when the client leaves, and when the simulator closes. */
  readonly signal: AbortSignal;
}

/** Answer of a carrier of your own. */
export interface OwnAnswer {
  /** 200 to 599. Default 200. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** An object or a list is sent as JSON, text and bytes as they are. Default: none. */
  readonly body?: string | Uint8Array | object | undefined;
}

/** Plays a carrier of your own: answers each call to it, at once or by a promise. */
export type OwnCarrier = (request: OwnRequest) => OwnAnswer | PromiseLike<OwnAnswer>;

/** Most bytes in the body of a call. */
export const MAX_BODY_BYTES: number = 1024 * 1024;

const controlRoutes: readonly string[] = ['plan', 'requests'];
const aCarrierName = /^[a-z\d][\w.-]{0,63}$/i;

/**
 * Returns the carriers of option `carriers` by their names.
 *
 * @throws TypeError for a name that cannot be a prefix or is taken, and for a carrier that is no function
 */
export function resolveOwnCarriers(
  action: string,
  carriers: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, OwnCarrier> {
  const entries = Object.entries(carriers).map(([name, carrier]) => {
    const option = `carriers.${name}`;
    if (isCarrier(name) || controlRoutes.includes(name)) {
      const owner = isCarrier(name) ? 'a carrier' : 'a control route';
      throw new TypeError(
        `Cannot ${action}: \`${option}\` is ${owner} of the simulator; choose another name`,
      );
    }
    if (!aCarrierName.test(name)) {
      const expected = 'letters, digits, `.`, `_` and `-`, at most 64, the first no sign';
      throw new TypeError(
        `Cannot ${action}: names in \`carriers\` must be ${expected}, got ${showValue(name)}`,
      );
    }
    if (!aFunction.test(carrier)) throw wrongOption(action, option, aFunction, carrier);
    return [name, carrier as OwnCarrier] as const;
  });
  return new Map(entries);
}

const answerRules = {
  status: wholeBetween(200, 599, 200),
  headers: anObject,
  body: {
    expected: 'a text, bytes, an object or a list',
    test: (value: unknown) =>
      typeof value === 'string' || (typeof value === 'object' && value !== null),
  },
};

/**
 * Asks a carrier of your own. One that throws, or answers what is no answer, gives 500 with a problem (RFC 9457).
 *
 * @param onFailure called in that case
 */
export async function askOwnCarrier(
  name: string,
  { carrier, onFailure }: { readonly carrier: OwnCarrier; readonly onFailure: () => void },
  request: OwnRequest,
): Promise<Answer> {
  try {
    return readAnswer(name, await carrier(request));
  } catch (error) {
    onFailure();
    const detail = `Carrier \`${name}\` failed: ${error instanceof Error ? error.message : showValue(error)}`;
    const problem = {
      title: 'Internal Server Error',
      status: 500,
      code: 'ERR_CARRIER_FAILED',
      detail,
    };
    return jsonAnswer(problem, 500, {
      'content-type': 'application/problem+json; charset=utf-8',
    });
  }
}

function readAnswer(name: string, value: unknown): Answer {
  const action = `answer as \`${name}\``;
  const checked = checkByRules(action, value, answerRules, 'answer') as OwnAnswer;
  const { status = 200, headers = {}, body } = checked;
  const sent = Object.entries(headers).map(([header, value]) => {
    validateHeaderName(header);
    const texts = [value].flat().map(String);
    for (const text of texts) validateHeaderValue(header, text);
    return [header.toLowerCase(), Array.isArray(value) ? texts : String(value)] as const;
  });
  return {
    status,
    headers: { ...typeOf(body), ...Object.fromEntries(sent) },
    body:
      typeof body === 'string' || body instanceof Uint8Array ? body : (JSON.stringify(body) ?? ''),
  };
}

function typeOf(body: OwnAnswer['body']): Readonly<Record<string, string>> {
  if (body === undefined) return {};
  if (typeof body === 'string') return { 'content-type': 'text/plain; charset=utf-8' };
  if (body instanceof Uint8Array) return { 'content-type': 'application/octet-stream' };
  return { 'content-type': 'application/json; charset=utf-8' };
}

/** The general form of faults: a carrier of your own has no prices that the simulator knows. */
export const ownFaults: WireFaults = {
  throttled: (retryAfterSeconds) => ({
    status: 503,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'retry-after': String(retryAfterSeconds),
    },
    body: 'Service Unavailable\n',
  }),
};
