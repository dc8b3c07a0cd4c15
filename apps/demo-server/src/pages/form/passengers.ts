/** Most people that one search is for. */
export const MOST_PASSENGERS = 9;

/** Years of age of each group, and the age of a new member of it. Adults need none: without an age a passenger is one. */
export const AGE_GROUPS = {
  adult: { from: 26, to: 120, usual: undefined },
  young: { from: 12, to: 25, usual: 18 },
  child: { from: 0, to: 11, usual: 8 },
} as const;
export type AgeGroup = keyof typeof AGE_GROUPS;
export const GROUPS = Object.keys(AGE_GROUPS) as readonly AgeGroup[];

/** Somebody who travels. */
export interface Traveller {
  readonly group: AgeGroup;
  readonly age?: number | undefined;
  /** Codes of cards that reduce fares, with + between them. */
  readonly card?: string | undefined;
}

/** Parameters of a search that describe the passengers. */
export interface PartyValues {
  readonly passengers?: string | undefined;
  readonly ages?: string | undefined;
  readonly cards?: string | undefined;
}

/** Reads the passengers. A wrong value counts as not given: the server reports what is wrong. */
export function partyOf({ passengers = '', ages = '', cards = '' }: PartyValues): Traveller[] {
  const [ageTexts, cardTexts] = [ages, cards].map((text) => (text === '' ? [] : text.split(',')));
  const wanted = Number(passengers) || ageTexts?.length || cardTexts?.length || 1;
  const count = Math.min(Math.max(1, Math.trunc(wanted)), MOST_PASSENGERS);
  return Array.from({ length: count }, (_, index) => {
    const text = ageTexts?.[index]?.trim() ?? '';
    const age = /^\d{1,3}$/.test(text) ? Number(text) : undefined;
    // In an address + is a space.
    const card = cardTexts?.[index]?.trim().replaceAll(/[ +]+/g, '+');
    return {
      group: groupOf(age),
      ...(age !== undefined && { age }),
      ...(card && { card }),
    };
  });
}

/** Returns the parameters of a search for its passengers; an empty one is left out of a search. */
export function valuesOf(party: readonly Traveller[]): Readonly<Record<keyof PartyValues, string>> {
  const list = (values: readonly (number | string | undefined)[]): string =>
    values.some((value) => value !== undefined) ? values.join() : '';
  return {
    passengers: `${party.length}`,
    ages: list(party.map(({ age }) => age)),
    cards: list(party.map(({ card }) => card)),
  };
}

/** Returns the group of an age. */
function groupOf(age?: number): AgeGroup {
  return GROUPS.find((group) => age !== undefined && age >= AGE_GROUPS[group].from) ?? 'adult';
}

/** Returns a party with one more member of a group, who is its last one; the same party if it is full. */
export function withOneMore(party: readonly Traveller[], group: AgeGroup): readonly Traveller[] {
  if (party.length >= MOST_PASSENGERS) return party;
  const { usual } = AGE_GROUPS[group];
  return inOrder([...party, { group, ...(usual !== undefined && { age: usual }) }]);
}

/** Returns a party without the last member of a group; the same one if it would be empty. */
export function withOneFewer(party: readonly Traveller[], group: AgeGroup): readonly Traveller[] {
  const last = party.findLastIndex((one) => one.group === group);
  return last < 0 || party.length === 1 ? party : party.filter((_, index) => index !== last);
}

function inOrder(party: readonly Traveller[]): readonly Traveller[] {
  return GROUPS.flatMap((group) => party.filter((one) => one.group === group));
}

const WORDS = {
  adult: ['adult', 'adults'],
  young: ['young person', 'young people'],
  child: ['child', 'children'],
} as const;

/** Returns who travels in words: `2 adults, 1 child`. */
export function partyText(party: readonly Traveller[]): string {
  return GROUPS.map((group) => ({ group, count: countOf(party, group) }))
    .filter(({ count }) => count > 0)
    .map(({ group, count }) => `${count} ${groupWord(group, count)}`)
    .join(', ');
}

/** Returns the word for a group of so many. */
export function groupWord(group: AgeGroup, count = 1): string {
  return WORDS[group][count === 1 ? 0 : 1];
}

/** Returns how many of a party are in a group. */
export function countOf(party: readonly Traveller[], group: AgeGroup): number {
  return party.filter((one) => one.group === group).length;
}
