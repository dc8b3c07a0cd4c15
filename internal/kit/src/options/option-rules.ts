import { nearest } from './edit-distance.ts';

/** Condition of an option's value. */
export interface Rule {
  readonly expected: string;
  /** Used when the option is absent. Without one it stays absent, unless it is `required`. */
  readonly fallback?: unknown;
  readonly required?: true;
  /** A number or an array of them that fails is a RangeError; anything else is a TypeError. */
  readonly range?: true;
  /** Rules of the options that the value has: an option that is given beside it may belong there. */
  readonly within?: Rules;
  /** Names by which other libraries call it. */
  readonly aliases?: readonly string[];
  readonly test: (value: unknown) => boolean;
}

/** Rules by the names of the options. */
export type Rules = Readonly<Record<string, Rule>>;

/** Options of which none is absent or `undefined`. */
export type Filled<Options> = {
  readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined>;
};

/** Longest delay of the platform's timers. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/**
 * Checks options by their rules and fills the absent ones. `under` precedes the names in messages, as in `recycle.tasks`.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveByRules<T>(action: string, options: unknown, rules: Rules, under = ''): T {
  const values = checkByRules(action, options, rules, under);
  const resolved: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(rules)) {
    const value = values[name] ?? rule.fallback;
    if (value === undefined && rule.required) {
      throw wrongOption(action, pathOf(under, name), rule, value);
    }
    resolved[name] = value;
  }
  return resolved as T;
}

/** Checks the options that are present. @throws TypeError or RangeError */
export function checkByRules(
  action: string,
  options: unknown,
  rules: Rules,
  under = '',
): Readonly<Record<string, unknown>> {
  if (!anObject.test(options)) throw wrongOption(action, under || 'options', anObject, options);
  const values = options as Readonly<Record<string, unknown>>;
  // Options of calls are checked too: a list of entries would cost more than the look at them.
  for (const name of Object.keys(values)) {
    const value = values[name];
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) throw unknownOption(action, pathOf(under, name), namesNear(name, rules));
    if (value !== undefined && !rule.test(value)) {
      throw wrongOption(action, pathOf(under, name), rule, value);
    }
  }
  return values;
}

function pathOf(under: string, name: string): string {
  return under === '' ? name : `${under}.${name}`;
}

/** Makes the error for a value that its rule refuses. */
export function wrongOption(
  action: string,
  name: string,
  { expected, range }: Pick<Rule, 'expected' | 'range'>,
  value: unknown,
): TypeError | RangeError {
  const message = `Cannot ${action}: \`${name}\` must be ${expected}, got ${showValue(value)}`;
  return range && isNumeric(value) ? new RangeError(message) : new TypeError(message);
}

/**
 * Returns the names that an unknown one may mean: of one that belongs inside another option, its path alone; or the one that it
 * means, if other libraries call that so.
 */
export function namesNear(name: string, rules: Rules): readonly string[] | string {
  const names = Object.keys(rules);
  const meant = names.find((one) => rules[one]?.aliases?.includes(name));
  if (meant !== undefined) return meant;
  const outer = names.find((one) => Object.hasOwn(rules[one]?.within ?? {}, name));
  return outer === undefined ? names : [pathOf(outer, name)];
}

/** Makes the error for an unknown option. `name` may have a path before it; `known` is the name that is meant, or the names that may be. */
export function unknownOption(
  action: string,
  name: string,
  known: readonly string[] | string,
): TypeError {
  const names = [known].flat();
  const near =
    typeof known === 'string' ? known : nearest(name.slice(name.lastIndexOf('.') + 1), names);
  const hint = near === undefined ? `known are ${names.join(', ')}` : `did you mean \`${near}\`?`;
  return new TypeError(`Cannot ${action}: unknown option \`${name}\`; ${hint}`);
}

export function isNumeric(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isNumeric) : typeof value === 'number';
}

export const anObject: Rule = {
  expected: 'an object',
  test: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Options of their own, checked by `resolveByRules` under the name of this one. Default: none given. */
export function optionsOf(within: Rules): Rule {
  return { ...anObject, fallback: {}, within };
}

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

/** A URL of this realm or another. */
export const aUrl: Rule = {
  expected: 'a URL',
  test: (value) => Object.prototype.toString.call(value) === '[object URL]',
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

/** Includes Infinity when `max` is Infinity. */
export function between(min: number, max: number, fallback?: number): Rule {
  return {
    expected: `${min} to ${max}`,
    range: true,
    fallback,
    test: (value) => typeof value === 'number' && value >= min && value <= max,
  };
}

export const aShare: Rule = {
  expected: 'above 0, to 1',
  range: true,
  test: (value) => typeof value === 'number' && value > 0 && value <= 1,
};

/** Rule for numbers from `min` on; also Infinity. */
export function atLeast(min: number, fallback?: number): Rule {
  return { ...between(min, Number.POSITIVE_INFINITY, fallback), expected: `${min} or more` };
}

export function wholeBetween(min: number, max: number, fallback?: number): Rule {
  return anInteger(between(min, max, fallback));
}

function anInteger(rule: Rule): Rule {
  return {
    ...rule,
    expected: `an integer of ${rule.expected}`,
    test: (value) => Number.isSafeInteger(value) && rule.test(value),
  };
}

/** Milliseconds, in the range of the platform's timers. */
export function milliseconds(min: number, fallback?: number): Rule {
  return wholeBetween(min, MAX_TIMER_MS, fallback);
}

/** A positive integer. */
export function whole(fallback?: number): Rule {
  return anInteger(atLeast(1, fallback));
}

/** The text `word`, which is the default, or a value that passes the rule. */
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

/** Rule that also takes Infinity. */
export function orInfinity(rule: Rule): Rule {
  return { ...rule, test: (value) => value === Number.POSITIVE_INFINITY || rule.test(value) };
}

/** Rule that also takes a function. */
export function orFunction(rule: Rule): Rule {
  return {
    ...rule,
    expected: `${rule.expected}, or a function`,
    test: (value) => typeof value === 'function' || rule.test(value),
  };
}

/** Refuses an absent value. */
export function required(rule: Rule): Rule {
  return { ...rule, required: true };
}

const LONGEST = 60;

/** Formats a value for an error message: at most 60 characters, and never nothing. Never throws. */
export function showValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  let text = textOf(value);
  // The text of a list is empty too if its only element has no text, or is the list itself.
  if (!text.trim()) text = Array.isArray(value) ? `[${value.map(() => "''")}]` : `'${text}'`;
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

/** An object without a prototype has no `toString`, and one may throw. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'an object without text';
  }
}
