import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';

const operators: readonly ((a: number, b: number) => number)[] = [
  (a, b) => a + b,
  (a, b) => a - b,
  (a, b) => a * b,
];

/** Returns a random integer from 100,000,000,000 to 999,999,999,999. */
function twelveDigits(): number {
  return Math.floor(Math.random() * 9e11) + 1e11;
}

function burn(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** `GET /compute`: a little work for the CPU, and with `?ms=` any amount. */
export const computeRoute: FastifyPluginCallbackTypebox = (app, _options, done) => {
  app.get(
    '/compute',
    {
      schema: {
        summary: 'Arbitrary work for the CPU; its number means nothing',
        operationId: 'compute',
        tags: ['load'],
        description: 'Adds, subtracts or multiplies the time and twelve random digits.',
        querystring: Type.Object(
          {
            ms: Type.Optional(
              Type.Integer({ minimum: 0, maximum: 10_000, description: 'CPU time to burn' }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ number: Type.Number() }) },
      },
    },
    ({ query: { ms = 0 } }) => {
      burn(ms);
      const operator = operators[Math.floor(Math.random() * operators.length)];
      return { number: operator?.(Date.now(), twelveDigits()) ?? 0 };
    },
  );
  done();
};
