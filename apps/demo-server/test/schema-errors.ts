import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

const validators = new WeakMap<TSchema, Validator>();

/** What is wrong with a value, by a schema. Each schema is compiled once: to interpret it takes longer than most of what is tested. */
export function schemaErrors(schema: TSchema, value: unknown): readonly unknown[] {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  return validator.Errors(value);
}
