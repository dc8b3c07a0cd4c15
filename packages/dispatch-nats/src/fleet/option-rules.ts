import { aName, type Rule, wholeBetween } from '@ticketing/kit';

/** Name of a fleet: a part of every subject. */
export const aFleet: Rule = {
  expected: '1 to 32 of a-z, 0-9 and -',
  test: (value) => typeof value === 'string' && /^[a-z0-9-]{1,32}$/.test(value),
};

/** Zone or revision of a host. */
export const aLabel: Rule = {
  expected: 'a text of 1 to 64 characters',
  test: (value) => aName.test(value) && (value as string).length <= 64,
};

/** Most bytes of a call. */
export const messageBytes: Rule = wholeBetween(1024, 2 ** 30, 64 * 1024 * 1024);
