/** What an option must be. */
export interface Rule {
  readonly expected: string;
  /** Taken when the option is absent; without one it stays absent. */
  readonly fallback?: unknown;
  readonly required?: true;
  /** A number that fails is a RangeError; anything else is a TypeError. */
  readonly range?: true;
  readonly test: (value: unknown) => boolean;
}

/** Rules by the names of the options. */
export type Rules = Readonly<Record<string, Rule>>;

/** Longest time that the platform's timers take. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Fills and checks options by their rules. `under` stands before the names in messages, as in `limits.pending`.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveByRules<T>(action: string, options: unknown, rules: Rules, under = ''): T {
  if (!anObject.test(options)) throw wrongOption(action, under || 'options', anObject, options);
  const path = under && `${under}.`;
  const given = options as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(rules, name)) continue;
    throw new TypeError(`Cannot ${action}: known options expected, got ${path}${name}`);
  }
  const resolved: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(rules)) {
    const value = given[name] ?? rule.fallback;
    if ((value !== undefined || rule.required) && !rule.test(value)) {
      throw wrongOption(action, path + name, rule, value);
    }
    resolved[name] = value;
  }
  return resolved as T;
}

/** The error for an option whose value is not what it must be. */
function wrongOption(
  action: string,
  name: string,
  { expected, range }: Pick<Rule, 'expected' | 'range'>,
  value: unknown,
): TypeError | RangeError {
  const message = `Cannot ${action}: ${name} must be ${expected}, got ${shown(value)}`;
  return range && typeof value === 'number' ? new RangeError(message) : new TypeError(message);
}

/** Objects without a prototype have no text of their own. */
function shown(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

export const anObject: Rule = {
  expected: 'an object',
  test: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

export const aFunction: Rule = {
  expected: 'a function',
  test: (value) => typeof value === 'function',
};

export const texts: Rule = {
  expected: 'a list of texts',
  test: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};

/** The first is the default. */
export function oneOf(...allowed: readonly string[]): Rule {
  return {
    expected: `one of ${allowed.join(', ')}`,
    fallback: allowed[0],
    test: (value) => allowed.includes(value as string),
  };
}

/** Infinity is in the range when `max` is. */
export function between(min: number, max: number, fallback?: number): Rule {
  return {
    expected: `${min} to ${max}`,
    range: true,
    fallback,
    test: (value) => typeof value === 'number' && value >= min && value <= max,
  };
}

export function wholeBetween(min: number, max: number, fallback?: number): Rule {
  const rule = between(min, max, fallback);
  return {
    ...rule,
    expected: `an integer of ${rule.expected}`,
    test: (value) => Number.isSafeInteger(value) && rule.test(value),
  };
}

/** Milliseconds that a timer takes. */
export function milliseconds(min: number, fallback: number): Rule {
  return wholeBetween(min, MAX_TIMER_MS, fallback);
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
