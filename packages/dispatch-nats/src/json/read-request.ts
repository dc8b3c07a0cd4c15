import { MAX_TIMER_MS, showValue, wholeBetween } from '@ticketing/kit';
import type { NatsMessage } from '../contract/nats-like.ts';

/** Content of a request. */
export interface JsonRequest {
  /** Input of the task; `undefined` for an empty message. */
  readonly input: unknown;
  /** Milliseconds that the caller still waits. */
  readonly timeoutMs: number;
  /** Metadata for the task: `traceparent`, `tracestate`, and the call's own name and attempt. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Error of a request, with a status of the micro protocol. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Refusal';
    this.status = status;
  }
}

/** Limit of a request without `Ticketing-Deadline-Ms`, because its caller may be gone. */
export const DEFAULT_DEADLINE_MS = 60_000;

const deadlineRule = wholeBetween(0, MAX_TIMER_MS);
const attemptRule = wholeBetween(1, 1000);
const LONGEST_TEXT = 512;

/** Names of metadata, by the headers from which a task gets them. */
const passedOn: Readonly<Record<string, string>> = {
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  'Ticketing-Call': 'call',
  'Ticketing-Attempt': 'attempt',
};

/** Reads a request. @throws Refusal 400, 408 or 413 */
export function readRequest(
  message: Pick<NatsMessage, 'data' | 'headers'>,
  maxBytes: number,
): JsonRequest {
  const { data, headers } = message;
  const bytes = data.byteLength;
  if (bytes > maxBytes) {
    throw new Refusal(
      413,
      `Request is too large: ${bytes} bytes exceed \`maxMessageBytes\` (${maxBytes})`,
    );
  }
  const timeoutMs = readWhole(headers, 'Ticketing-Deadline-Ms', deadlineRule);
  if (timeoutMs === 0) throw new Refusal(408, 'Deadline of the call is past');
  readWhole(headers, 'Ticketing-Attempt', attemptRule);
  return {
    input: readInput(data),
    timeoutMs: timeoutMs ?? DEFAULT_DEADLINE_MS,
    metadata: readMetadata(headers),
  };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function readInput(data: Uint8Array): unknown {
  if (data.byteLength === 0) return undefined;
  try {
    return JSON.parse(decoder.decode(data));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : '';
    throw new Refusal(400, `Cannot read the request: it must be JSON in UTF-8; ${why}`, { cause });
  }
}

function readWhole(
  headers: NatsMessage['headers'],
  name: string,
  rule: ReturnType<typeof wholeBetween>,
): number | undefined {
  const text = headers?.get(name) ?? '';
  if (text === '') return undefined;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (rule.test(value)) return value;
  const got = showValue(text);
  throw new Refusal(400, `Cannot run: \`${name}\` must be ${rule.expected}, got ${got}`);
}

function readMetadata(headers: NatsMessage['headers']): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const [header, name] of Object.entries(passedOn)) {
    const text = headers?.get(header) ?? '';
    if (text !== '' && text.length <= LONGEST_TEXT) metadata[name] = text;
  }
  return metadata;
}
