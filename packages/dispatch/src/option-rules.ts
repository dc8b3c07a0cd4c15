/** What an option must be. */
export interface Rule {
  readonly expected: string;
  /** Taken when the option is absent; without one it stays absent. */
  readonly fallback?: unknown;
  /** A number or an array of them that fails is a RangeError; anything else is a TypeError. */
  readonly range?: true;
  readonly test: (value: unknown) => boolean;
}

/** Rules by the names of the options. */
export type Rules = Readonly<Record<string, Rule>>;

/** Longest time that the platform's timers take. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/**
 * Fills and checks options by their rules. `under` stands before the names in messages, as in `recycle.tasks`.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveByRules<T>(action: string, options: object, rules: Rules, under = ''): T {
  checkByRules(action, options, rules, under);
  const resolved: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(rules)) {
    resolved[name] = (options as Record<string, unknown>)[name] ?? rule.fallback;
  }
  return resolved as T;
}

/** Checks what is given; absent options are fine. @throws TypeError or RangeError */
export function checkByRules(action: string, options: object, rules: Rules, under = ''): void {
  if (!anObject.test(options)) throw wrongOption(action, under || 'options', anObject, options);
  const path = under && `${under}.`;
  for (const name of Object.keys(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) throw unknownOption(action, path + name);
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined && !rule.test(value)) {
      throw wrongOption(action, path + name, rule, value);
    }
  }
}

/** The error for an option whose value is not what it must be. */
export function wrongOption(
  action: string,
  name: string,
  { expected, range }: Pick<Rule, 'expected' | 'range'>,
  value: unknown,
): TypeError | RangeError {
  const message = `Cannot ${action}: ${name} must be ${expected}, got ${shown(value)}`;
  return range && isNumeric(value) ? new RangeError(message) : new TypeError(message);
}

/** The error for an option that there is not. */
export function unknownOption(action: string, name: string): TypeError {
  return new TypeError(`Cannot ${action}: known options expected, got ${name}`);
}

function isNumeric(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isNumeric) : typeof value === 'number';
}

/** The text of a value for a message. Never throws: objects without a prototype have no text of their own. */
export function shown(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

export const anObject: Rule = {
  expected: 'an object',
  test: (value) => typeof value === 'object' && value !== null,
};

export const aFunction: Rule = {
  expected: 'a function',
  test: (value) => typeof value === 'function',
};

export const aName: Rule = {
  expected: 'a text',
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

export function between(min: number, max: number, fallback?: number): Rule {
  return {
    expected: `${min} to ${max}`,
    range: true,
    fallback,
    test: (value) => typeof value === 'number' && value >= min && value <= max,
  };
}

/** From `min` on; also Infinity. */
export function atLeast(min: number, fallback?: number): Rule {
  return { ...between(min, Number.POSITIVE_INFINITY, fallback), expected: `${min} or more` };
}

export function wholeBetween(min: number, max: number, fallback?: number): Rule {
  const rule = between(min, max, fallback);
  return {
    ...rule,
    expected: `an integer of ${rule.expected}`,
    test: (value) => Number.isSafeInteger(value) && rule.test(value),
  };
}

/** A positive integer. */
export function whole(fallback?: number): Rule {
  return {
    ...wholeBetween(1, Number.MAX_SAFE_INTEGER, fallback),
    expected: 'an integer of 1 or more',
  };
}

/** The text `word`, which is the default, or what the rule says. */
export function wordOr(word: string, rule: Rule): Rule {
  return {
    ...rule,
    expected: `${word} or ${rule.expected}`,
    fallback: word,
    test: (value) => value === word || rule.test(value),
  };
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
