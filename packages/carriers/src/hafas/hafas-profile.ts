import type { RideLeg } from '@ticketing/core';
import { aName, anObject, oneOf, type Rule, required, resolveByRules } from '@ticketing/kit';
import { aZone } from '../wire/endpoint.ts';

/** Requirements and answers of one operator's server. No profile is shipped: yours comes from the operator. */
export interface HafasProfile {
  /** Path below `baseUrl`, `'/bin/mgate.exe'`. */
  readonly path: string;
  /** IANA time zone of the server: of its questions, and of times without an offset. */
  readonly zone: string;
  /** Version of the protocol, `'1.45'`. */
  readonly version: string;
  readonly ext?: string | undefined;
  /** Sent as it is. */
  readonly client: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly auth: Readonly<Record<string, string>>;
  /** Default `en`. */
  readonly lang?: string | undefined;
  /** Default: none. `salt`: hex digits, two for each byte. */
  readonly checksum?: HafasChecksum | undefined;
  /** Each product's bit in decimal digits, and what it is: `{ 1: 'train', 32: 'bus' }`. */
  readonly products: Readonly<Record<string, HafasMode>>;
  /** ISO 4217, of amounts that name none. Required with `prices: 'fares'`. */
  readonly currency?: string | undefined;
  /** `fares`: fares of the server are prices of the journey, for one adult. Default `none`. */
  readonly prices?: 'none' | 'fares' | undefined;
  /** System of the server's station numbers, `'ibnr'`. */
  readonly stationSystem: string;
  /** Codes of attributes that describe how a ride on demand is booked: such a ride runs only if it was. Default: none. */
  readonly bookingCodes?: readonly string[] | undefined;
}

/** Proof of a request that its sender knows the salt. */
export type HafasChecksum =
  | { readonly kind: 'none' }
  | { readonly kind: 'checksum' | 'mic-mac'; readonly salt: string };

/** Kind of vehicle, in the words of `RideLeg.mode`, and `train`. */
export type HafasMode = 'train' | NonNullable<RideLeg['mode']>;

/** A checked profile with every field that has a default. */
export interface ResolvedProfile extends HafasProfile {
  readonly lang: string;
  readonly checksum: HafasChecksum;
  readonly prices: 'none' | 'fares';
  readonly bookingCodes: readonly string[];
}

const modes = ['train', 'bus', 'tram', 'metro', 'ferry', 'other'];

const matching = (expected: string, pattern: RegExp): Rule => ({
  expected,
  test: (value) => typeof value === 'string' && pattern.test(value),
});

const someProducts: Rule = {
  expected: `an object of bits in decimal digits and ${modes.join(', ')}`,
  test: (value) =>
    anObject.test(value) &&
    Object.entries(value as object).length > 0 &&
    Object.entries(value as object).every(
      ([bit, mode]) =>
        /^[1-9]\d{0,9}$/.test(bit) &&
        Number.isInteger(Math.log2(Number(bit))) &&
        modes.includes(mode),
    ),
};

// What is wrong with a secret is said without its value.
const secret: Rule = { expected: 'given', test: () => true };

const someCodes: Rule = {
  expected: 'a list of codes',
  test: (value) =>
    Array.isArray(value) && value.every((code) => typeof code === 'string' && code !== ''),
};

const rules = {
  path: required(matching('a path such as /bin/mgate.exe', /^\/[\w./-]*$/)),
  zone: required(aZone),
  version: required(matching('a version such as 1.45', /^\d{1,3}\.\d{1,3}$/)),
  ext: aName,
  client: required(anObject),
  auth: secret,
  lang: { ...aName, fallback: 'en' },
  checksum: { ...secret, fallback: { kind: 'none' } },
  products: required(someProducts),
  currency: matching('an ISO 4217 code', /^[A-Z]{3}$/),
  prices: oneOf('none', 'fares'),
  stationSystem: required(aName),
  bookingCodes: { ...someCodes, fallback: [] },
};

/**
 * Checks a profile and fills it.
 *
 * @throws TypeError
 */
export function resolveProfile(profile: unknown): ResolvedProfile {
  const action = 'create hafas';
  const resolved = resolveByRules<ResolvedProfile>(action, profile, rules, 'profile');
  const { auth, checksum, prices, currency } = resolved;
  const wrong = (what: string): TypeError => new TypeError(`Cannot ${action}: ${what}`);
  if (!anObject.test(auth) || !Object.values(auth).every((text) => typeof text === 'string')) {
    throw wrong('`profile.auth` must be an object of texts');
  }
  if (!isChecksum(checksum)) {
    throw wrong(
      '`profile.checksum` must have `kind`, one of none, checksum, mic-mac, and for the latter two `salt` in hex digits',
    );
  }
  if (prices === 'fares' && currency === undefined) {
    throw wrong('`profile.currency` is required with `profile.prices` fares');
  }
  return resolved;
}

function isChecksum(checksum: unknown): checksum is HafasChecksum {
  const { kind, salt } = Object(checksum) as { kind?: unknown; salt?: unknown };
  if (kind === 'none') return true;
  return (
    (kind === 'checksum' || kind === 'mic-mac') &&
    typeof salt === 'string' &&
    /^(?:[\da-f]{2})+$/i.test(salt)
  );
}
