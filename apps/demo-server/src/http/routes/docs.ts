import etag from '@fastify/etag';
import helmet from '@fastify/helmet';
import swagger from '@fastify/swagger';
import type {
  FastifyPluginAsyncTypebox,
  FastifyPluginCallbackTypebox,
} from '@fastify/type-provider-typebox';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { DOCS } from '../../problem/problem.ts';
import type { BodySender } from '../body-sender.ts';
import { securityHeaders } from '../security-headers.ts';

/** Its script writes styles and has an image in its text, which no other page of ours may. */
const directives = {
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
};

interface DocsDependencies {
  readonly bodies: Pick<BodySender, 'send'>;
}

/**
 * `GET /openapi.json`, the same until the server is another one: clients ask for it again by its tag. `GET /docs`: the OpenAPI document as a page on which every route can be tried. All that it loads comes from this server. It
 * is a server of its own that is made at the first request, so that no process pays for it at its start.
 */
export const docsRoutes: FastifyPluginCallbackTypebox<DocsDependencies> = (
  app,
  { bodies },
  done,
) => {
  void app.register(openapiRoute, { bodies });
  let page: Promise<FastifyInstance> | undefined;

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    page ??= docsPage(app.swagger());
    const { method, url, headers } = request;
    const made = await (await page).inject({
      method: method === 'HEAD' ? 'HEAD' : 'GET',
      url,
      headers,
    });
    // Those of its connection, which is none.
    const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...fields } = made.headers;
    return reply.code(made.statusCode).headers(fields).send(made.rawPayload);
  }

  const config = { page: true };
  const summary = 'The API as a page';
  app.get(DOCS, { config, schema: { hide: true, summary } }, answer);
  app.get(`${DOCS}/*`, { config, schema: { hide: true } }, answer);
  app.addHook('onClose', async () => {
    await (await page)?.close();
  });
  done();
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

async function docsPage(document: object): Promise<FastifyInstance> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const page = fastify();
  await page.register(helmet, securityHeaders(directives));
  await page.register(swagger, { mode: 'static', specification: { document: document as never } });
  await page.register(swaggerUi, {
    routePrefix: DOCS,
    theme: { title: 'Ticketing API' },
    uiConfig: { tryItOutEnabled: true, displayRequestDuration: true, validatorUrl: null },
  });
  return page;
}
