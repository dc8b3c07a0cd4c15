import type { FastifyRequest } from 'fastify';

/**
 * Returns which of the types the client prefers: of equally preferred ones the first; `undefined` if it accepts none.
 * Parameters of its types, such as `charset`, do not matter.
 */
export function preferredType<Type extends string>(
  request: FastifyRequest,
  types: readonly Type[],
): Type | undefined {
  const { headers } = request.raw;
  headers.accept &&= withoutParameters(firstRanges(headers.accept));
  const preferred = request.accepts().type([...types]);
  return types.find((type) => type === preferred);
}

/** Characters of an `Accept` that are read: browsers send some 150. */
const LONGEST = 1000;

/** Returns the first ranges of an `Accept`: each that is compared with a type costs time. */
export function firstRanges(accept: string): string {
  if (accept.length <= LONGEST) return accept;
  return accept.slice(0, Math.max(0, accept.lastIndexOf(',', LONGEST)));
}

/** Returns whether the client prefers a page to data: a browser's address bar. */
export function prefersPage(request: FastifyRequest): boolean {
  return preferredType(request, ['application/json', 'text/html']) === 'text/html';
}

/** Returns an `Accept` with no parameters but the weights; quoted text may have any character. Takes linear time. */
export function withoutParameters(accept: string): string {
  const first = accept.indexOf(';');
  if (first < 0) return accept;
  const closing = accept.includes('"') ? closingQuotes(accept) : undefined;
  let kept = accept.slice(0, first);
  let at = first;
  while (at < accept.length) {
    if (accept[at] !== ';') {
      const next = accept.indexOf(';', at);
      const end = next < 0 ? accept.length : next;
      kept += accept.slice(at, end);
      at = end;
      continue;
    }
    const end = endOfParameter(accept, at + 1, closing);
    const parameter = accept.slice(at, end);
    if (/^;\s*q\s*=/i.test(parameter)) kept += parameter;
    at = end;
  }
  return kept;
}

/** A parameter ends before a semicolon, a comma, or a quote that is never closed. */
function endOfParameter(text: string, start: number, closing: Int32Array | undefined): number {
  let at = start;
  for (; at < text.length; at++) {
    const character = text[at];
    if (character === ';' || character === ',') return at;
    if (character !== '"') continue;
    const close = closing?.[at + 1] ?? -1;
    if (close < 0) return at;
    at = close;
  }
  return at;
}

/** Returns for each place the quote that closes a quoted text which goes on there; -1 if none does. */
function closingQuotes(text: string): Int32Array {
  const closing = new Int32Array(text.length + 2).fill(-1);
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text[at];
    closing[at] = character === '"' ? at : (closing[at + (character === '\\' ? 2 : 1)] ?? -1);
  }
  return closing;
}
