import helmet from '@fastify/helmet';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyPluginAsync } from 'fastify';
import { DOCS } from '../problem.ts';
import { securityHeaders } from '../security-headers.ts';

/**
 * `GET /docs`: the OpenAPI document as a page on which every route can be tried. All that it loads comes from this server.
 * Its script writes styles and has an image in its text, which no other page of ours may.
 */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  await app.register(
    helmet,
    securityHeaders({
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
    }),
  );
  app.addHook('onRoute', (route) => {
    // The server's state is looked up here when it is busy, too.
    route.config = { ...route.config, always: true };
    if (route.url === DOCS) route.schema = { ...route.schema, summary: 'The API as a page' };
  });
  await app.register(swaggerUi, {
    routePrefix: DOCS,
    theme: { title: 'Ticketing API' },
    uiConfig: { tryItOutEnabled: true, displayRequestDuration: true, validatorUrl: null },
  });
};
