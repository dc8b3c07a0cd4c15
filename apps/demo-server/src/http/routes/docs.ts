import etag from '@fastify/etag';
import helmet from '@fastify/helmet';
import swagger from '@fastify/swagger';
// Not at the first request: a module that could not be read once, for want of descriptors, can never be imported again.
import swaggerUi from '@fastify/swagger-ui';
import type {
  FastifyPluginAsyncTypebox,
  FastifyPluginCallbackTypebox,
} from '@fastify/type-provider-typebox';
import { type FastifyInstance, fastify } from 'fastify';
import { docsPage } from '../../pages/docs-page.ts';
import { openAssets } from '../../pages/frame/page-assets.ts';
import { DOCS } from '../../problem/problem.ts';
import { loadOnce } from '../../processes/load-once.ts';
import { withDescribedExamples } from '../api/described-examples.ts';
import type { BodySender } from '../body-sender.ts';
import { securityHeaders } from '../security-headers.ts';

/** Directives for the script of this page, which writes styles and has an image in its text: no other page may. */
const directives = {
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
};

interface DocsDependencies {
  readonly bodies: Pick<BodySender, 'send'>;
}

/** `GET /openapi.json`, the same until the server is another one: clients ask for it again by its tag. `GET /docs`: the same as a page on which every route can be tried. All that it loads comes from this server. */
export const docsRoutes: FastifyPluginCallbackTypebox<DocsDependencies> = (
  app,
  { bodies },
  done,
) => {
  void app.register(openapiRoute, { bodies });
  void app.register(docsPageRoutes, { bodies });
  done();
};

/** The page, and the files of Swagger UI: those come from a server of its own that is made at the first request, so that no process pays for it at its start. */
const docsPageRoutes: FastifyPluginAsyncTypebox<DocsDependencies> = async (app, { bodies }) => {
  await app.register(helmet, securityHeaders(directives));
  const assets = loadOnce(openAssets);
  let opened: FastifyInstance | undefined;
  const files = loadOnce(async () => {
    opened = await swaggerFiles(withDescribedExamples(app.swagger()));
    return opened;
  });

  const config = { page: true };
  const summary = 'The API as a page';
  app.get(DOCS, { config, schema: { hide: true, summary } }, async (request, reply) => {
    const page = { path: DOCS, files: `${DOCS}/static`, assets: (await assets()).of('docs') };
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding' });
    reply.type('text/html; charset=utf-8');
    return bodies.send({ request, reply }, Buffer.from(String(docsPage(page))));
  });
  app.get(`${DOCS}/*`, { config, schema: { hide: true } }, async (request, reply) => {
    if (request.url === `${DOCS}/`) return reply.redirect(DOCS);
    const { method, url, headers } = request;
    const made = await (await files()).inject({
      method: method === 'HEAD' ? 'HEAD' : 'GET',
      url,
      headers,
    });
    // Hop-by-hop headers of its connection, which is none.
    const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...fields } = made.headers;
    return reply.code(made.statusCode).headers(fields).send(made.rawPayload);
  });
  app.addHook('onClose', async () => {
    await opened?.close();
  });
};

const openapiRoute: FastifyPluginAsyncTypebox<DocsDependencies> = async (app, { bodies }) => {
  await app.register(etag);
  /** Serialised at the first request, compressed once. */
  let document: Buffer | undefined;
  app.get(
    '/openapi.json',
    { schema: { hide: true, summary: 'The API as an OpenAPI document' } },
    (request, reply) => {
      document ??= Buffer.from(JSON.stringify(app.swagger()));
      reply
        .type('application/json; charset=utf-8')
        .headers({ 'cache-control': 'no-cache', vary: 'accept-encoding' });
      return bodies.send({ request, reply }, document);
    },
  );
};

async function swaggerFiles(document: object): Promise<FastifyInstance> {
  const files = fastify();
  await files.register(swagger, { mode: 'static', specification: { document: document as never } });
  await files.register(swaggerUi, { routePrefix: DOCS });
  return files;
}
