import { type Rule, type Rules, required, resolveByRules } from '@ticketing/kit';

/** Where a carrier answers. */
export interface CarrierEndpoint {
  /** Absolute http or https URL; the carrier's paths are appended to its path. */
  readonly baseUrl: string;
}

/** Which program asks, in the `user-agent` of carriers whose wire many operators speak. */
export const USER_AGENT = 'ticketing-carriers/0.2.0';

/** The rule of an option that is the value of a header. */
export const aHeaderValue: Rule = {
  expected: 'visible ASCII text',
  test: (value) =>
    typeof value === 'string' && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value),
};

const rules = {
  baseUrl: required({
    expected: 'an http or https URL',
    test: (value) => typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value),
  }),
};

/**
 * Returns checked options, the endpoint without trailing slashes. `more` are the rules of a carrier's other options.
 *
 * @throws TypeError for a `baseUrl` that is not a URL, or an unknown option
 */
export function resolveEndpoint<T extends CarrierEndpoint>(
  carrier: string,
  options: T,
  more: Rules = {},
): T {
  const all = { ...rules, ...more };
  const { baseUrl, ...rest } = resolveByRules<T>(`create ${carrier}`, options, all);
  let end = baseUrl.length;
  while (baseUrl[end - 1] === '/') end -= 1;
  return { ...(rest as T), baseUrl: baseUrl.slice(0, end) };
}
