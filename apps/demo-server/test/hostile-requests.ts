import { type ApiOperation, apiOperations, targetOf } from './api-operations.ts';

/** A request that is to cost much. */
export interface HostileRequest {
  readonly name: string;
  /** The same operation asked in the usual way. */
  readonly usual: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes of a head that the server takes, with some left for the rest of it. */
const MOST_BYTES = 15_000;

function repeat(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

/** Texts as a parameter may have them: words that are nearly names, many words, many beginnings, and what folds to much. */
const TEXTS = ['barclona madird sevlla ', 'x ', 'a ', 's', 'st ', '\u{FDFA}', '%', '["', '1,'];

/** Fields whose values are read as lists, and what makes such a list long. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  accept: [';\\"', 'a/b;q=0.1,', 'text/html;', '",', 'a/b;x="'],
  'accept-encoding': ['a;q=0.1,', ',', 'br;q=0.5, '],
  'if-none-match': ['"a", ', 'W/', '"'],
  range: ['bytes=0-1,', '0-1,'],
  cookie: ['a=1; ', ';'],
};

const QUERIES = ['a=1&', '%41=%42&', '&', 'origin=', '=', '+', '%'];

/** Returns requests of the largest size that is accepted, for every operation of an OpenAPI document that reads something. */
export function hostileRequests(
  document: Parameters<typeof apiOperations>[0],
): readonly HostileRequest[] {
  return apiOperations(document)
    .filter(({ method }) => method === 'GET')
    .flatMap((operation) => {
      const usual = targetOf(operation, ({ required, filled }) => (required ? filled : undefined));
      const all = [...byParameter(operation), ...byTarget(operation)];
      return all.map((one) => ({ ...one, usual }));
    });
}

type Unnamed = Omit<HostileRequest, 'usual'>;

function byParameter(operation: ApiOperation): Unnamed[] {
  const texts = operation.parameters.filter(({ schema }) => (schema.maxLength ?? 0) > 0);
  return texts.flatMap(({ name, schema: { maxLength = 0 } }) =>
    TEXTS.map((text) => {
      const size = Math.min(maxLength, Math.floor(MOST_BYTES / encodeURIComponent(text).length));
      const value = repeat(text, Math.min(maxLength, Math.max(size * text.length, 1)));
      const target = targetOf(operation, (one) =>
        one.name === name ? value : one.required ? one.filled : one.schema.maximum,
      );
      return { name: `${operation.id} ${name} ${JSON.stringify(text)}`, target };
    }),
  );
}

function byTarget(operation: ApiOperation): Unnamed[] {
  const { id } = operation;
  const target = targetOf(operation, ({ required, filled }) => (required ? filled : undefined));
  const path = operation.path.replace(/\{.*\}/, '');
  return [
    ...QUERIES.map((query) => ({
      name: `${id} ?${query}`,
      target: `${target}${target.includes('?') ? '&' : '?'}${repeat(query, MOST_BYTES)}`,
    })),
    ...['a', 'a/', '%41', '%2f'].map((text) => ({
      name: `${id} ${path}${text}`,
      target: `${path}${path.endsWith('/') ? '' : '/'}${repeat(text, MOST_BYTES)}`,
    })),
    ...Object.entries(FIELDS).flatMap(([field, values]) =>
      values.map((value) => ({
        name: `${id} ${field}: ${value}`,
        target,
        headers: { [field]: repeat(value, MOST_BYTES) },
      })),
    ),
  ];
}
