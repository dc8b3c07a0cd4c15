import { createHash } from 'node:crypto';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { ProblemError } from '../../problem/problem.ts';

/** `POST /sink`: reads a body of any type and size, and returns its length. */
export const sinkRoute: FastifyPluginCallbackTypebox = (app, _options, done) => {
  // The body is counted as it arrives, and not kept.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
  app.post(
    '/sink',
    {
      schema: {
        summary: 'Reads any body, and returns its length',
        operationId: 'sink',
        tags: ['load'],
        querystring: Type.Object(
          { hash: Type.Optional(Type.Literal('md5', { description: 'Adds the digest' })) },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({
            bytes: Type.Integer(),
            md5: Type.Optional(Type.String({ description: 'Hexadecimal' })),
          }),
        },
      },
    },
    async ({ raw, query: { hash } }) => {
      const digest = hash && createHash(hash);
      let bytes = 0;
      try {
        for await (const chunk of raw as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          digest?.update(chunk);
        }
      } catch {
        throw new ProblemError(499, { detail: 'The client left, or was too slow' });
      }
      return digest === undefined ? { bytes } : { bytes, md5: digest.digest('hex') };
    },
  );
  done();
};
