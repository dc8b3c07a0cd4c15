import { PassThrough } from 'node:stream';
import { admitRoutes } from '@ticketing/admission/fastify';
import { DispatchError, type Dispatcher, type TasksOf } from '@ticketing/dispatch';
import { type FastifyInstance, fastify } from 'fastify';
import { createImageAdmission } from './image-admission.ts';
import type { Limits } from './tasks.ts';
import { bytesOf, optionsOf } from './upload.ts';

/** Threads or child processes: the server cannot tell. */
export type Images = Dispatcher<TasksOf<typeof import('./tasks.ts')>>;

const limitsSchema = {
  type: 'object',
  required: ['maxWidth'],
  properties: { maxWidth: { type: 'integer', minimum: 1 } },
};
const overloaded: readonly string[] = ['ERR_QUEUE_FULL', 'ERR_OVERLOADED', 'ERR_QUEUE_TIMEOUT'];

export function createServer(
  images: Images,
  admission = createImageAdmission(images),
): FastifyInstance {
  const app = fastify({ bodyLimit: 20_000_000 });
  // First: a request waits before its body is read, and a refused one sends no image.
  app.register(admitRoutes, { admission });
  app.addHook('onClose', () => admission.close());
  app.addContentTypeParser('image/png', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  app.post('/thumbnail', async (request, reply) => {
    const png = bytesOf(request);
    const { width = '128' } = request.query as { readonly width?: string };
    const thumbnail = await images.run(
      'thumbnail',
      { png, width: Number(width) },
      { transfer: [png], runTimeoutMs: 10_000, ...optionsOf(request, reply) },
    );
    return reply.type('image/png').send(Buffer.from(thumbnail.buffer));
  });

  // Workers that start later have the limits before their first image: successors of those that were killed, too.
  app.put(
    '/limits',
    { schema: { body: limitsSchema }, config: { admission: false } },
    async (request) => {
      const options = { later: true, timeoutMs: 5000 };
      const outcomes = await images.broadcast('limit', request.body as Limits, options);
      return { workers: outcomes.filter(({ status }) => status === 'fulfilled').length };
    },
  );

  // Lines of JSON: how far it is, then the description.
  app.post('/description', (request, reply) => {
    const png = bytesOf(request);
    const { name = 'unnamed' } = request.query as { readonly name?: string };
    const lines = new PassThrough();
    const onProgress = (data: unknown) => lines.write(`${JSON.stringify(data)}\n`);
    const options = { onProgress, metadata: { name }, ...optionsOf(request, reply) };
    images.run('describe', png, { transfer: [png], ...options }).then(
      (json) => lines.end(json),
      (error: Error) => lines.end(JSON.stringify({ error: error.message })),
    );
    return reply.type('application/x-ndjson').send(lines);
  });

  app.setErrorHandler((error: Error, _request, reply) => {
    if (!DispatchError.is(error)) return reply.send(error);
    return reply.code(overloaded.includes(error.code) ? 503 : 500).send({ error: error.message });
  });
  return app;
}
