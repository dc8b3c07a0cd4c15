/** What an option must be. */
export interface Rule {
  readonly expected: string;
  /** Taken when the option is absent; without one, and not `required`, it stays absent. */
  readonly fallback?: unknown;
  readonly required?: true;
  /** A wrong value is a RangeError, not a TypeError. */
  readonly range?: true;
  readonly test: (value: unknown) => boolean;
}

/** Longest time that the platform's timers take. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

type Rules = Readonly<Record<string, Rule>>;

/**
 * Fills and checks options by their rules.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveByRules<T>(action: string, options: object, rules: Rules): T {
  checkByRules(action, options, rules);
  const resolved: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(rules)) {
    resolved[name] = (options as Record<string, unknown>)[name] ?? rule.fallback;
    if (rule.required) check(action, name, rule, resolved[name]);
  }
  return resolved as T;
}

/** Checks what is given; absent options are fine. @throws TypeError or RangeError */
export function checkByRules(action: string, options: object, rules: Rules): void {
  if (typeof options !== 'object' || options === null) check(action, 'options', anObject, options);
  for (const name of Object.keys(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) throw new TypeError(`Cannot ${action}: known options expected, got ${name}`);
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined) check(action, name, rule, value);
  }
}

function check(
  action: string,
  name: string,
  { expected, range, test }: Rule,
  value: unknown,
): void {
  if (test(value)) return;
  const message = `Cannot ${action}: ${name} must be ${expected}, got ${textOf(value)}`;
  throw range ? new RangeError(message) : new TypeError(message);
}

/** A value in a message: also an object without prototype, or one whose `toString` fails. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'an object without text';
  }
}

const anObject: Rule = { expected: 'an object', test: () => false };

export const aFunction: Rule = {
  expected: 'a function',
  test: (value) => typeof value === 'function',
};

export const aName: Rule = {
  expected: 'a text',
  required: true,
  test: (value) => typeof value === 'string' && value !== '',
};

export const aFlag: Rule = {
  expected: 'true or false',
  test: (value) => typeof value === 'boolean',
};

export const aSignal: Rule = {
  expected: 'an AbortSignal',
  test: (value) => value instanceof AbortSignal,
};

/** The first is the default. */
export function oneOf(...allowed: readonly string[]): Rule {
  return {
    expected: `one of ${allowed.join(', ')}`,
    fallback: allowed[0],
    test: (value) => allowed.includes(value as string),
  };
}

export function between(min: number, max: number, fallback?: number): Rule {
  return {
    expected: `${min} to ${max}`,
    range: true,
    fallback,
    test: (value) => typeof value === 'number' && value >= min && value <= max,
  };
}

export function whole(fallback: number): Rule {
  return {
    expected: 'an integer of 1 or more',
    range: true,
    fallback,
    test: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  };
}

export function wholeOrInfinite(fallback: number): Rule {
  const { test, ...rule } = whole(fallback);
  return { ...rule, test: (value) => value === Number.POSITIVE_INFINITY || test(value) };
}

export function withMethods(...methods: readonly string[]): Rule {
  return {
    expected: `an object with ${methods.join(', ')}`,
    test: (value) =>
      methods.every(
        (name) => typeof (Object(value) as Record<string, unknown>)[name] === 'function',
      ),
  };
}

/** The rule, or a function. */
export function orFunction(rule: Rule): Rule {
  return { ...rule, test: (value) => typeof value === 'function' || rule.test(value) };
}
