import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { DispatchError } from '@ticketing/dispatch';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Answers } from '../../answers/answers.ts';
import { badParameter, clientSignal, Problem, ProblemError } from '../../problem/problem.ts';
import { MOST_FOUND } from '../../worms/worm.ts';
import { wormKey } from '../../worms/worm-answer.ts';
import { WormError } from '../../worms/worm-error.ts';

const problem = { content: { 'application/problem+json': { schema: Problem } } };
const Worm = Type.Object(
  {
    id: Type.Integer({ description: 'Its position in the order of insertion, from 1' }),
    class: Type.String(),
    name: Type.String(),
    lengthMm: Type.Integer(),
    habitat: Type.String(),
    foundOn: Type.String({ description: 'YYYY-MM-DD' }),
  },
  { $id: 'Worm' },
);
// Typed `unknown`: the schemas document what is sent.
const response: unknown = {
  200: {
    description: `The first ${MOST_FOUND} of them at most; none for an unknown class`,
    content: { 'application/json': { schema: Type.Array(Worm, { maxItems: MOST_FOUND }) } },
  },
  400: { description: 'The class is wrong', ...problem },
  502: { description: 'The database failed, or cannot be reached', ...problem },
  503: { description: 'The database takes no more questions', ...problem },
  504: { description: 'The database did not answer in time', ...problem },
};
const schema = {
  summary: 'Worms of a class, found by a full scan',
  operationId: 'findWorms',
  tags: ['store'],
  params: Type.Object({
    class: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'A word, such as utilize; without control characters',
      examples: ['utilize'],
    }),
  }),
  querystring: Type.Object({}, { additionalProperties: false }),
  response,
};

export interface WormsDependencies {
  readonly answers: Pick<Answers, 'worms'>;
  /** True if equal questions share their work. */
  readonly isShared: boolean;
  /** Milliseconds that a request has left, from 1. */
  leftMs(request: { readonly arrivedAt: number }): number;
}

/** `GET /api/v1/worms/:class`: documents from a store that has no index of classes. */
export const wormsRoute: FastifyPluginCallbackTypebox<WormsDependencies> = (
  app,
  { answers, isShared, leftMs },
  done,
) => {
  const keyOf = ({ params }: FastifyRequest): string =>
    wormKey((params as { readonly class: string }).class);
  app.get(
    '/api/v1/worms/:class',
    { schema, config: { admission: isShared ? { keyOf } : undefined } },
    async (request, reply) => {
      const wormClass = request.params.class;
      if (/\p{Cc}/u.test(wormClass)) {
        throw badParameter('class', 'text without control characters', wormClass);
      }
      const options = { signal: clientSignal(reply), deadlineMs: leftMs(request) };
      const answer = await answers.worms(wormClass, options).catch((error) => {
        throw problemOf(error);
      });
      return reply
        .header('server-timing', `worms;dur=${answer.ms}`)
        .type('application/json; charset=utf-8')
        .send(answer.body);
    },
  );
  done();
};

const titles = {
  502: 'Database failed',
  503: 'Database too busy',
  504: 'Database did not answer in time',
} as const;

/** The problem of a failed database, or of a process between that did not answer in time. */
function problemOf(error: unknown): unknown {
  if (WormError.is(error)) {
    const status = WormError.statusOf(error);
    const { code, message: detail } = error;
    return new ProblemError(status, { detail, code, title: titles[status] });
  }
  if (DispatchError.is(error) && error.code === 'ERR_TIMEOUT') {
    const { message: detail } = error;
    return new ProblemError(504, { detail, code: 'ERR_DATABASE_TIMEOUT', title: titles[504] });
  }
  return error;
}
