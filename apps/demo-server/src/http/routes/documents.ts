import etag from '@fastify/etag';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Station } from '@ticketing/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Parts } from '../../compose.ts';
import { type EncodableDocument, sendDocument } from '../encoded-body.ts';

const StationList = Type.Object(
  {
    stations: Type.Array(
      Type.Object({
        id: Type.String({ description: 'For `origin` and `destination` of `/search`' }),
        name: Type.String(),
        country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
        aliases: Type.Array(Type.String(), { description: 'Other names that are understood' }),
      }),
    ),
  },
  { $id: 'StationList' },
);

// Typed `unknown`: the schemas document what is sent.
const response: unknown = { 200: StationList, 304: { description: 'As before', type: 'null' } };

/** Documents that are the same until the server is another one: clients ask for them again by their tags. */
export const documentRoutes: FastifyPluginAsyncTypebox<Parts> = async (
  app,
  { stations, encoder },
) => {
  await app.register(etag);

  /** Serialised at the first request, compressed once. */
  function kept(read: () => unknown) {
    let document: EncodableDocument | undefined;
    return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      document ??= { body: Buffer.from(JSON.stringify(read())) };
      reply
        .type('application/json; charset=utf-8')
        .headers({ 'cache-control': 'no-cache', vary: 'accept-encoding' });
      return sendDocument({ request, reply, encoder }, document);
    };
  }

  app.get(
    '/stations',
    {
      config: { always: true },
      schema: {
        summary: 'Every station, with the names that are understood',
        operationId: 'listStations',
        tags: ['search'],
        response,
      },
    },
    kept(() => ({ stations: stations.stations.map(listed) })),
  );
  app.get(
    '/openapi.json',
    { config: { always: true }, schema: { hide: true, summary: 'The API as an OpenAPI document' } },
    kept(() => app.swagger()),
  );
};

function listed({ id, name, country, aliases = [] }: Station) {
  return { id, name, country, aliases };
}
