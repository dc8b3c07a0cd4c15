/**
 * Freezes a value and everything that it holds by own properties, once. Binary data and what Map and Set
 * hold cannot be frozen by the platform, and stay as they are.
 */
export function deepFreeze<V>(value: V): V {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    if (ArrayBuffer.isView(next)) continue;
    Object.freeze(next);
    for (const name of Reflect.ownKeys(next)) {
      const property = Reflect.getOwnPropertyDescriptor(next, name);
      if (property && 'value' in property) open.push(property.value);
    }
  }
  return value;
}
