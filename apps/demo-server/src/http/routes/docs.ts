import helmet from '@fastify/helmet';
import swagger from '@fastify/swagger';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { DOCS } from '../problem.ts';
import { securityHeaders } from '../security-headers.ts';

/** Its script writes styles and has an image in its text, which no other page of ours may. */
const directives = {
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
};

/**
 * `GET /docs`: the OpenAPI document as a page on which every route can be tried. All that it loads comes from this server. It
 * is a server of its own that is made at the first request, so that no process pays for it at its start.
 */
export const docsRoutes: FastifyPluginCallbackTypebox = (app, _options, done) => {
  let page: Promise<FastifyInstance> | undefined;

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    page ??= docsPage(app.swagger());
    const { method, url, headers } = request;
    const made = await (await page).inject({
      method: method === 'HEAD' ? 'HEAD' : 'GET',
      url,
      headers,
    });
    return reply.code(made.statusCode).headers(made.headers).send(made.rawPayload);
  }

  const config = { always: true };
  const summary = 'The API as a page';
  app.get(DOCS, { config, schema: { hide: true, summary } }, answer);
  app.get(`${DOCS}/*`, { config, schema: { hide: true } }, answer);
  app.addHook('onClose', async () => {
    await (await page)?.close();
  });
  done();
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
