const CODE = /^[A-Za-z][\w.:-]{0,63}$/;

/** Returns the `error.type` of a failure: its code or its class, never its message. */
export function errorType(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  for (const value of [code, name]) {
    if (typeof value === 'string' && CODE.test(value)) return value;
  }
  return 'error';
}
