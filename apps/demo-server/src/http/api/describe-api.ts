import { isDeepStrictEqual } from 'node:util';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { Problem, type ProblemStatus } from '../../problem/problem.ts';

const refusals: Readonly<Partial<Record<ProblemStatus, string>>> = {
  400: 'A parameter is wrong, or Host is absent or repeated',
  405: 'The path takes other methods, which Allow lists',
  408: 'The request did not arrive within --request-timeout-ms',
  417: 'Expect is not 100-continue',
  503: 'The server is too busy, or stops',
  431: 'The head of the request is larger than 16 KiB',
};
const problemType = 'application/problem+json';
const common = Object.fromEntries(
  Object.entries(refusals).map(([status, description]) => [
    status,
    { description, content: { [problemType]: { schema: Problem } } },
  ]),
);

const tags = [
  { name: 'search', description: 'Trains of all carriers' },
  { name: 'store', description: 'A store that finds by a full scan' },
  { name: 'load', description: 'Work for measurements' },
  { name: 'health', description: 'What runs, and how' },
  { name: 'operator', description: 'The whole server, and what can be done to it' },
];

/** Response in a route's schema: a schema of JSON, or its media types. */
type Response = TSchema & {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
};

interface Media {
  readonly schema: TSchema;
  /** Examples by name, for readers. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** Stands for `$id` on the way through the plugin, which drops it or calls such schemas `def-1`. */
const NAME = 'x-component';

function withNames(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_name, value) => {
    if (typeof value?.$id !== 'string') return value;
    const { $id: id, ...others } = value;
    return { ...others, [NAME]: id };
  });
}

/**
 * Moves each named schema to the components, once.
 *
 * @throws TypeError if two different ones have one name
 */
function withComponents(document: object): object {
  const schemas: Record<string, object> = {};
  const rest = JSON.parse(JSON.stringify(document), (_key, value) => {
    if (typeof value?.[NAME] !== 'string') return value;
    const { [NAME]: name, ...schema } = value;
    const known = schemas[name];
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new TypeError(`Cannot describe the API: two schemas have the $id ${name}`);
    }
    schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  });
  return { ...rest, components: { ...rest.components, schemas } };
}

function described(response: Response): object {
  const { content, description = 'The answer', ...schema } = response;
  if ((schema as { readonly type?: unknown }).type === 'null') return response;
  const all = content ?? { 'application/json': { schema } };
  return {
    description,
    content: withNames(all),
  };
}

/**
 * Makes the OpenAPI document of all routes that are registered after this call: their schemas, those with an `$id` as
 * components, and the refusals that any request may get. `app.swagger()` returns it when the server is ready.
 */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Ticketing demo',
        version: '1',
        description: 'Asks many train carriers at once. Carriers, trains and fares are simulated.',
      },
      servers: [{ url: '/', description: 'This server' }],
      tags,
    },
    transform: ({ schema, url }) => {
      const response = Object.entries({ ...common, ...(schema?.response as object) });
      const all = response.map(([status, one]) => [status, described(one as Response)]);
      return { url, schema: { ...schema, response: Object.fromEntries(all) } };
    },
    transformObject: (made) =>
      withComponents('openapiObject' in made ? made.openapiObject : made.swaggerObject),
  });
}
