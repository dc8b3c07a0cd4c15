import type { FastifyRequest } from 'fastify';

/** A parameter of a media range; quoted text may have any character. */
const PARAMETER = /;[^;,"]*(?:"(?:[^"\\]|\\.)*"[^;,"]*)*/g;

/**
 * Returns which of the types the client prefers: of those that it likes as much, the first; `undefined` if it accepts none.
 * Parameters of its types, such as `charset`, do not matter.
 */
export function preferredType<Type extends string>(
  request: FastifyRequest,
  types: readonly Type[],
): Type | undefined {
  const { headers } = request.raw;
  headers.accept &&= headers.accept.replace(PARAMETER, (text) =>
    /^;\s*q\s*=/i.test(text) ? text : '',
  );
  const preferred = request.accepts().type([...types]);
  return types.find((type) => type === preferred);
}

/** Whether the client would rather have a page than data: a browser's address bar. */
export function prefersPage(request: FastifyRequest): boolean {
  return preferredType(request, ['application/json', 'text/html']) === 'text/html';
}
