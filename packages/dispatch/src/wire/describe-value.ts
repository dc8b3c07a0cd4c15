/** Says in a few words what a value is, for the end of a message: `undefined`, `5`, `a function`, `an object`. Never throws. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'function':
      return 'a function';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? 'an array' : 'an object';
    case 'string':
      return value.length > 40 ? 'a text' : JSON.stringify(value);
    default:
      return String(value);
  }
}
