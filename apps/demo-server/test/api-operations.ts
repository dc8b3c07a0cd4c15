/** A parameter of an operation. */
interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  /** What the page of the API fills in. */
  readonly filled: unknown;
}

/** Where a document has examples: alone, or several by name. */
interface WithExamples {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** What tests read of a schema. */
export interface Schema {
  readonly type?: string;
  readonly examples?: readonly unknown[];
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** An operation of an OpenAPI document. */
export interface ApiOperation {
  readonly id: string;
  readonly method: string;
  /** As the document has it: `/stations/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Schema; readonly filled: unknown } | undefined;
}

type Item = {
  readonly operationId: string;
  readonly parameters?: readonly (Omit<Parameter, 'filled'> & WithExamples)[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, WithExamples & { readonly schema: Schema }>>;
  };
};

/** Returns every operation of a document. */
export function apiOperations(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Item>>>>;
}): readonly ApiOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId: id, parameters = [], requestBody }]) => {
      const json = requestBody?.content['application/json'];
      return {
        ...{ id, method: method.toUpperCase(), path },
        parameters: parameters.map((one) => ({ ...one, filled: filledOf(one) })),
        body: json && { schema: json.schema, filled: filledOf(json) },
      };
    }),
  );
}

function filledOf({ example, examples = {} }: WithExamples): unknown {
  return example ?? Object.values(examples)[0]?.value;
}

/** Returns the target of a request with the values of some parameters; `undefined` leaves one out. */
export function targetOf(
  { path, parameters }: ApiOperation,
  read: (parameter: Parameter) => unknown,
): string {
  const query = new URLSearchParams();
  let target = path;
  for (const parameter of parameters) {
    const value = read(parameter);
    if (value === undefined) continue;
    if (parameter.in === 'query') query.set(parameter.name, String(value));
    else target = target.replace(`{${parameter.name}}`, encodeURIComponent(String(value)));
  }
  return query.size === 0 ? target : `${target}?${query}`;
}
