import { createHash } from 'node:crypto';
import etag from '@fastify/etag';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { stationTable } from '@ticketing/carriers';
import { MAX_STATION_TEXT, type Station } from '@ticketing/core';
import type { Point, StationBook } from '@ticketing/stations';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { badParameter, Problem, ProblemError } from '../../problem/problem.ts';
import type { Stations, StationTexts } from '../../search/station-texts.ts';
import type { BodySender } from '../body-sender.ts';

const MOST = 50;
const POINT = /^(-?\d{1,2}(?:\.\d{1,9})?),(-?\d{1,3}(?:\.\d{1,9})?)$/;
const NEAR_KM = 50;

const problem = { content: { 'application/problem+json': { schema: Problem } } };
const Query = Type.Object(
  {
    text: Type.Optional(
      Type.String({
        maxLength: MAX_STATION_TEXT,
        description: 'What somebody types: beginnings of words in any order and language',
        examples: ['barclona', 'munich hbf'],
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST, default: 8 })),
    near: Type.Optional(
      Type.String({
        maxLength: 40,
        description: `Latitude and longitude: prefers stations near it; without text, those within ${NEAR_KM} km`,
        examples: ['40.4065,-3.6895'],
      }),
    ),
  },
  { additionalProperties: false },
);

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
const Suggestion = Type.Object(
  {
    kind: Type.Enum(['city', 'station']),
    id: Type.String({ description: 'For `/stations/:id`' }),
    name: Type.String(),
    label: Type.String({ description: 'As a list shows it' }),
    country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
    alias: Type.Optional(Type.String({ description: 'Another name, if the text means this one' })),
    matched: Type.Array(Type.Array(Type.Integer()), {
      description: 'Where the text is in `alias`, else in `name`: start and end in UTF-16',
    }),
    match: Type.Optional(
      Type.Enum(['exact', 'prefix', 'typo', 'partial'], {
        description:
          'How sure it is: a name or code, beginnings of words, typing errors, some words',
      }),
    ),
    km: Type.Optional(Type.Number({ description: 'Distance to `near`, if there is no text' })),
    stations: Type.Optional(
      Type.Integer({
        description: 'Of a city: how many of its stations a search with it asks for',
      }),
    ),
    city: Type.Optional(Type.String({ description: 'The city in this answer that it is of' })),
    searchName: Type.String({
      description:
        'For `origin` and `destination` of `/search`: its name or label, or its id if others have these too',
    }),
  },
  { $id: 'StationSuggestion' },
);
const Suggestions = Type.Object(
  {
    stations: Type.Array(Suggestion),
    asOf: Type.String({ description: 'Month of the data' }),
    attribution: Type.String({ description: 'Credit to show with the data' }),
  },
  { $id: 'StationSuggestions' },
);
const Codes = Type.Record(Type.String(), Type.String());
const Member = Type.Object({ id: Type.String(), name: Type.String() });
const StationDetails = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    zone: Type.String({ description: 'IANA time zone' }),
    country: Type.String(),
    latitude: Type.Number(),
    longitude: Type.Number(),
    codes: Codes,
    otherCodes: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
    aliases: Type.Optional(Type.Array(Type.String())),
    members: Type.Optional(Type.Array(Member, { description: 'Of a city: its stations' })),
    asOf: Type.String(),
    attribution: Type.String(),
  },
  { $id: 'StationDetails' },
);

const unchanged = { description: 'As before', type: 'null' };
// Typed `unknown`: the schemas document what is sent.
const listResponse: unknown = {
  200: {
    description:
      'Suggestions; without `text` and `near` the cities and stations that the carriers of the demo serve',
    content: { 'application/json': { schema: Type.Union([StationList, Suggestions]) } },
  },
  304: unchanged,
};
const detailsResponse: unknown = {
  200: StationDetails,
  304: unchanged,
  404: { description: 'No station has this id', ...problem },
};

export interface StationsDependencies extends Stations {
  readonly bodies: Pick<BodySender, 'send'>;
}

/** `GET /stations` and `/stations/:id`. The table of all stations is opened at the first request that needs it. */
export const stationRoutes: FastifyPluginAsyncTypebox<StationsDependencies> = async (
  app,
  { stationBook, stationTexts, bodies },
) => {
  await app.register(etag);
  const listed = Buffer.from(
    JSON.stringify({
      stations: [...stationTable.groups, ...stationTable.stations].map(listedStation),
    }),
  );

  let tag: string | undefined;

  /** Sends what is the same until the table or the program is another one. */
  function sendKept(
    exchange: { request: FastifyRequest; reply: FastifyReply },
    { book, body }: { readonly book: StationBook; readonly body: () => object },
  ): Promise<FastifyReply> | FastifyReply {
    const { request, reply } = exchange;
    tag ??= `"${book.asOf}-${versionOf(book)}"`;
    reply.headers({ etag: tag, 'cache-control': 'public, max-age=3600' });
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    const { asOf, attribution } = book;
    reply.type('application/json; charset=utf-8');
    return reply.send(JSON.stringify({ ...body(), asOf, attribution }));
  }

  /** Names by id, because each is looked for among all names: as many as the table has rows. */
  const searchNames = new Map<string, string>();

  function searchNameOf(one: NamedStation, known: Known): string {
    const name = searchNames.get(one.id) ?? findSearchName(one, known);
    searchNames.set(one.id, name);
    return name;
  }

  function suggestions(known: Known, query: Static<typeof Query>) {
    const { book } = known;
    const { text, limit = 8 } = query;
    const near = query.near === undefined ? undefined : pointOf(query.near);
    const found =
      text === undefined && near !== undefined
        ? book.near(near, { radiusKm: NEAR_KM, limit }).map(({ station, km }) => {
            const { id, name, country } = station;
            const kind = 'station' as const;
            return { kind, id, name, label: name, country, matched: [], km: Number(km.toFixed(2)) };
          })
        : book.suggest(text ?? '', { limit, ...(near && { near }) });
    const cityOf = new Map(
      found
        .filter(({ kind }) => kind === 'city')
        .flatMap(({ id }) => book.membersOf(id).map((member) => [member.id, id] as const)),
    );
    return {
      stations: found.map(
        ({ score: _score, ...one }: (typeof found)[number] & { score?: number }) => {
          const searchName = searchNameOf(one, known);
          const city = cityOf.get(one.id);
          return {
            ...one,
            ...(one.kind === 'city' && { stations: askedStations(searchName, known.texts) }),
            ...(city !== undefined && { city }),
            searchName,
          };
        },
      ),
    };
  }

  app.get(
    '/stations',
    {
      schema: {
        summary: 'Stations and cities that a text means, or that are near a point',
        operationId: 'listStations',
        tags: ['search'],
        querystring: Query,
        response: listResponse,
      },
    },
    async (request, reply) => {
      const { query } = request;
      if (query.text === undefined && query.near === undefined) {
        reply
          .type('application/json; charset=utf-8')
          .headers({ 'cache-control': 'no-cache', vary: 'accept-encoding' });
        return bodies.send({ request, reply }, listed);
      }
      const [book, texts] = await Promise.all([stationBook(), stationTexts()]);
      const body = () => suggestions({ book, texts }, query);
      return sendKept({ request, reply }, { book, body });
    },
  );

  app.get(
    '/stations/:id',
    {
      schema: {
        summary: 'A station or city, with its codes in every system',
        operationId: 'getStation',
        tags: ['search'],
        params: Type.Object({
          id: Type.String({ maxLength: 100, examples: ['uic:7160000', 'city:es:madrid'] }),
        }),
        querystring: Type.Object({}, { additionalProperties: false }),
        response: detailsResponse,
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const book = await stationBook();
      const entry = book.byId(id);
      if (entry === undefined) {
        const nearest = book
          .suggest(id, { limit: 5 })
          .map(({ id: near, name }) => ({ id: near, name }));
        throw new ProblemError(404, {
          detail: `No station has the id ${id.slice(0, 100)}`,
          nearest,
        });
      }
      const members = book.membersOf(id).map((one) => ({ id: one.id, name: one.name }));
      const body = { ...entry, ...(members.length > 0 && { members }) };
      return sendKept({ request, reply }, { book, body: () => body });
    },
  );
};

/** @throws ProblemError for a text that is no point */
function pointOf(text: string): Point {
  const [, latitude, longitude] = POINT.exec(text) ?? [];
  const point = { latitude: Number(latitude), longitude: Number(longitude) };
  if (Math.abs(point.latitude) <= 90 && Math.abs(point.longitude) <= 180) return point;
  throw badParameter('near', 'latitude and longitude, as in 40.4065,-3.6895', text);
}

interface NamedStation {
  readonly id: string;
  readonly label: string;
}

interface Known {
  readonly book: StationBook;
  /** Station texts that /search takes. */
  readonly texts: StationTexts;
}

/** Returns how many stations a search asks for that has this text. */
function askedStations(text: string, texts: StationTexts): number {
  const match = texts.find(text);
  if (match.kind !== 'found') return 0;
  return 'members' in match.station ? match.station.members.length : 1;
}

/** Returns the text by which /search finds a station, or a city or the one of its stations that the carriers serve. */
function findSearchName({ id, label }: NamedStation, { book, texts }: Known): string {
  const ids = new Set([id, ...book.membersOf(id).map((member) => member.id)]);
  const isFound = (text: string): boolean => {
    const match = texts.find(text);
    return match.kind === 'found' && ids.has(match.station.id);
  };
  const { name } = stationTable.byId(id) ?? book.byId(id) ?? { name: label };
  return [name, label].find(isFound) ?? id;
}

/** Differs if the table does, or the stations that the carriers of the demo serve. */
function versionOf(book: StationBook): string {
  const known = stationTable.stations.map(({ id, name }) => `${id} ${name}`).join();
  return createHash('sha256').update(book.sha256).update(known).digest('hex').slice(0, 12);
}

function listedStation({ id, name, country, aliases = [] }: Station) {
  return { id, name, country, aliases };
}
