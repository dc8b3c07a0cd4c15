import type { ShownProblem } from './shown-problem.ts';

/** Fields of the form that may be empty. */
const OPTIONAL_FIELDS = [
  'time',
  'arriveBy',
  'via',
  'maxTransfers',
  'class',
  'split',
  'stops',
  'currency',
  'passengers',
  'ages',
  'cards',
] as const;

/** Fields of the form: a problem with one is shown beside it. Other parameters are in links alone. */
export const PAGE_FIELDS = ['origin', 'destination', 'date', ...OPTIONAL_FIELDS] as const;
export type PageField = (typeof PAGE_FIELDS)[number];

/** The form as an address has it; every field may be absent or empty. */
export type FormValues = { readonly [Name in PageField]?: string | undefined };

/** Returns the parameters of a search without empty ones. */
export function parametersOf(values: FormValues): URLSearchParams {
  const given = Object.entries(values).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  return new URLSearchParams(given);
}

/** Returns the field of the form that a problem is about, if it is about one. */
export function fieldOf({ parameter = '' }: ShownProblem): PageField | undefined {
  // A passenger is one of a list: `passengers[0].age`.
  const [, member] = /^passengers\[\d+\]\.(age|cards)/.exec(parameter) ?? [];
  const own = member === 'age' ? 'ages' : member;
  const name = parameter === 'travelClass' ? 'class' : (own ?? parameter);
  return PAGE_FIELDS.find((one) => one === name);
}
