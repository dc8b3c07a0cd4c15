import { BatchingError } from '@ticketing/batching';
import { RailError } from '@ticketing/core';
import { DispatchError } from '@ticketing/dispatch';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';

/** An error as clients see it: RFC 9457, with the expected and the actual value. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'urn:ticketing:problem:<code>' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Optional(Type.String({ description: 'Stable, for programs' })),
    instance: Type.Optional(Type.String({ description: 'Path of the request' })),
    parameter: Type.Optional(
      Type.String({ description: 'Name of the query parameter that is wrong' }),
    ),
    expected: Type.Optional(Type.String()),
    got: Type.Optional(Type.Unknown()),
    nearest: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String(),
          name: Type.String(),
          searchName: Type.Optional(
            Type.String({ description: 'What means it alone, if others have its name too' }),
          ),
        }),
      ),
    ),
    see: Type.Optional(
      Type.String({ description: 'Where the parameters and routes are explained' }),
    ),
    carriers: Type.Optional(Type.Array(Type.Unknown(), { description: 'Status of each carrier' })),
  },
  { $id: 'Problem' },
);
export type Problem = Static<typeof Problem>;

export const titles = {
  400: 'Bad request',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  408: 'Request timeout',
  409: 'Conflict',
  415: 'Unsupported media type',
  417: 'Expectation failed',
  431: 'Request header fields too large',
  499: 'Client closed request',
  500: 'Internal server error',
  502: 'Every carrier failed',
  503: 'Too busy',
  504: 'No carrier answered in time',
} as const;

/** The page of the API. */
export const DOCS = '/docs';

const RETRY_AFTER_MS = 1000;

export type ProblemStatus = keyof typeof titles;
type Details = Omit<Problem, 'type' | 'title' | 'status' | 'instance'> & {
  /** Replaces the title of the status. */
  readonly title?: string;
};

/** A failure with its problem; thrown by routes, sent by the error handler. */
export class ProblemError extends Error {
  readonly status: ProblemStatus;
  readonly details: Details;
  /** Milliseconds until the client should retry. Default for a 503: a second. */
  readonly retryAfterMs: number | undefined;
  constructor(status: ProblemStatus, details: Details, retryAfterMs?: number) {
    super(details.detail);
    this.retryAfterMs = retryAfterMs;
    this.status = status;
    this.details = details;
  }
}

/** Makes the problem of a wrong query parameter. */
export function badParameter(
  parameter: string,
  expected: string,
  got: unknown,
  more: Pick<Details, 'nearest' | 'see'> = {},
): ProblemError {
  const shown = typeof got === 'string' && got.length > 100 ? `${got.slice(0, 100)}…` : got;
  const detail = `Parameter ${parameter} must be ${expected}, got ${shown === undefined ? 'none' : JSON.stringify(shown)}`;
  return new ProblemError(400, { detail, parameter, expected, got: shown ?? null, ...more });
}

/** Sends any error as problem+json. An unexpected one is a 500, and is logged. */
export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, details, retryAfterMs: afterMs } = toProblem(error, request);
  if (status === 500) request.log.error(error);
  if (status === 503) {
    reply.header('retry-after', Math.max(1, Math.ceil((afterMs ?? RETRY_AFTER_MS) / 1000)));
  }
  return reply
    .code(status)
    .type('application/problem+json')
    .send(problemBody(status, details, request.url));
}

/** Returns the problem of an answer that has begun. An unexpected one is logged. */
export function lateProblem(error: unknown, request: FastifyRequest) {
  const { status, details } = toProblem(error, request);
  if (status === 500) request.log.error(error);
  return problemBody(status, details, request.url);
}

/** Returns the body of a problem. `url`: of the request, if there was one. */
export function problemBody(status: ProblemStatus, details: Details, url?: string) {
  const { title = titles[status] } = details;
  return {
    type: `urn:ticketing:problem:${title.toLowerCase().replaceAll(' ', '-')}`,
    title,
    status,
    instance: url?.split('?', 1)[0]?.slice(0, 200),
    ...details,
  };
}

/** Returns the problem of a query that is wrong; `undefined` for any other error. */
export function badQuery(error: unknown): (Details & { readonly title: string }) | undefined {
  const problem = ownProblem(error);
  return problem?.status === 400 ? { title: titles[400], ...problem.details } : undefined;
}

/** Returns a problem that a route has thrown, or that a search has with its query. */
function ownProblem(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  if (!RailError.is(error) || error.code !== 'ERR_BAD_QUERY') return undefined;
  const { parameter = '', expected = '', got } = error.data;
  return badParameter(parameter, expected, got);
}

function toProblem(error: unknown, request: FastifyRequest): ProblemError {
  const own = ownProblem(error);
  if (own !== undefined) return own;
  // Another process did not answer a search or a question.
  if (DispatchError.is(error)) {
    const isLate = error.code === 'ERR_TIMEOUT' || error.code === 'ERR_RUN_TIMEOUT';
    const { retryAfterMs } = error.data;
    return new ProblemError(isLate ? 504 : 503, { detail: error.message }, retryAfterMs);
  }
  // A coalescer is full, or is closing.
  if (BatchingError.is(error) && error.statusCode !== 500) {
    return new ProblemError(error.statusCode, { detail: error.message });
  }
  const { validation, validationContext, statusCode, message } = error as FastifyError;
  if (validation?.[0]) {
    const context =
      validationContext === 'params' ? 'params' : validationContext === 'body' ? 'body' : 'query';
    const [first] = validation;
    if (context === 'body' && first.instancePath === '' && first.keyword === 'type') {
      return badBody(request.body);
    }
    const values = request[context] ?? {};
    return invalidParameter(first, values as Record<string, unknown>);
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ProblemError(400, { detail: message });
  }
  if (lacksDescriptors(error)) {
    return new ProblemError(503, { detail: 'The server has no file descriptors left' });
  }
  return new ProblemError(500, { detail: 'The server failed; its log has the reason' });
}

/** True for what this process or the machine can open again once it has closed something. */
function lacksDescriptors(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE';
}

function badBody(got: unknown): ProblemError {
  const kind = got === null ? 'null' : Array.isArray(got) ? 'a list' : typeof got;
  return new ProblemError(400, { detail: `The body must be an object, got ${kind}` });
}

/** Makes the problem of a parameter that the schema refused. */
function invalidParameter(
  { keyword, instancePath, params, message = '' }: NonNullable<FastifyError['validation']>[number],
  values: Readonly<Record<string, unknown>>,
): ProblemError {
  if (keyword === 'required')
    return badParameter(String(params['missingProperty']), 'given', undefined, { see: DOCS });
  if (keyword === 'additionalProperties') {
    const name = String(params['additionalProperty']).slice(0, 100);
    return badParameter(name, 'a parameter of /openapi.json', name, { see: DOCS });
  }
  const name = instancePath.slice(1);
  const got = values[name];
  if (Array.isArray(got)) return badParameter(name, 'given once', got);
  const bounds: Readonly<Record<string, string>> = { minLength: 'at least', maxLength: 'at most' };
  const bound = bounds[keyword];
  const expected = bound && `text of ${bound} ${params['limit']} characters`;
  return badParameter(name, expected ?? message.replace(/^must be /, ''), got);
}

/** One error for all signals, because each aborts after its answer: a new one costs more, for its stack, than the rest of a signal. */
const clientLeft = new ProblemError(499, { detail: 'The client left' });

/** Returns a signal that aborts when the client has left or has its answer. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort(clientLeft));
  return gone.signal;
}
