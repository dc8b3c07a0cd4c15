import type { WireReader } from '../wire/wire-reader.ts';
import { type Literal, LiteralError, LiteralScanner } from './javascript-literal.ts';

/** A reply of a DWR server (Direct Web Remoting 3, "plaincall"): the argument of the handler it calls. */
export type DwrReply =
  | { readonly kind: 'callback'; readonly value: Literal }
  | { readonly kind: 'exception'; readonly value: Literal };

/**
 * Reads a reply: the guard `throw '…';`, then a function that calls `handleCallback` or
 * `handleException` of its receiver with batch, call, and the value. The script is read, never run.
 *
 * @throws LiteralError for any other text
 */
export function readDwrReply(script: string): DwrReply {
  const scanner = new LiteralScanner(script);
  if (scanner.accept('throw')) {
    scanner.literal();
    scanner.expect(';');
  }
  scanner.expect('(function(){');
  scanner.expect('var r=window.dwr._[');
  scanner.literal();
  scanner.expect('];');
  scanner.expect('r.');
  const exception = scanner.accept('handleException');
  if (!exception) scanner.expect('handleCallback');
  scanner.expect('(');
  scanner.literal();
  scanner.expect(',');
  scanner.literal();
  scanner.expect(',');
  const value = scanner.literal();
  scanner.expect(');');
  scanner.expect('})();');
  return { kind: exception ? 'exception' : 'callback', value };
}

/**
 * Reads the reply in an answer.
 *
 * @throws CarrierError `PROTOCOL` for bytes that are not a reply
 */
export function readReplyBytes(read: WireReader, body: Uint8Array): DwrReply {
  const script = read.decode(body);
  try {
    return readDwrReply(script);
  } catch (cause) {
    if (!(cause instanceof LiteralError)) throw cause;
    const rest = script.slice(cause.offset) || 'the end';
    throw read.error(`${cause.expected} at ${cause.offset}`, rest);
  }
}

/** Writes the body of a call. Its argument, if any, is an object of texts: each is a variable, which the object refers to. */
export function writeDwrCall(call: {
  readonly script: string;
  readonly method: string;
  readonly batch: number;
  readonly page: string;
  readonly scriptSessionId: string;
  readonly parameter?: Readonly<Record<string, string>>;
}): string {
  const fields = Object.entries(call.parameter ?? {});
  const refer = ([name]: readonly [string, string], index: number): string =>
    `${name}:reference:c0-e${index + 1}`;
  return [
    'callCount=1',
    'windowName=',
    `c0-scriptName=${call.script}`,
    `c0-methodName=${call.method}`,
    'c0-id=0',
    ...fields.map(([, value], index) => `c0-e${index + 1}=string:${encodeURIComponent(value)}`),
    ...(fields.length > 0 ? [`c0-param0=Object_Object:{${fields.map(refer).join(', ')}}`] : []),
    `batchId=${call.batch}`,
    'instanceId=0',
    `page=${encodeURIComponent(call.page)}`,
    `scriptSessionId=${call.scriptSessionId}`,
    '',
  ].join('\n');
}
