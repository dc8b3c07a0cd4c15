interface Types {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}

/** Returns nothing of what cannot be read: a getter or a trap of a proxy may throw. */
export function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Returns a field of any thrown value if it is of a type. Never throws. */
export function fieldOf<Name extends keyof Types>(
  thrown: unknown,
  field: string,
  type: Name,
): Types[Name] | undefined {
  const value = tryRead(() => Object(thrown)[field]);
  return typeof value === type ? value : undefined;
}
