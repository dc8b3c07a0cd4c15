import type { RideLeg } from '@ticketing/core';
import { shownText } from '../wire/shown-text.ts';
import { childrenOf, textAt, type XmlElement } from '../wire/xml-reader.ts';

/** Modes by their names in 1.0, 2.0 and in TRIAS, `tram` and `tramService`; others are `other`. */
const modes: readonly (readonly [pattern: RegExp, mode: RideLeg['mode'] | 'train'])[] = [
  [/^(?:rail|[a-z]{1,40}rail(?:way)?|railway)(?:service)?$/, 'train'],
  [/bus|coach/, 'bus'],
  [/tram/, 'tram'],
  [/metro|underground/, 'metro'],
  [/ferry|water|ship/, 'ferry'],
];

/** Category and number as one text, where nothing else has the number: `RJ 797`. One or two digits may be the number of a line. */
const NUMBERED = /^(\p{L}{1,6}) (\d{3,6})$/u;

/**
 * Returns mode, number and brand. The published name is that of a line, `IC 8`, or category and number, `EC 57`, or a code that people do
 * not know, `612B`: it counts if it begins with the category.
 */
export function nameOf(
  timed: XmlElement,
  service: XmlElement | undefined,
): Pick<RideLeg, 'mode' | 'number' | 'brand'> {
  const mode = modeOf(textAt(service, 'Mode', 'PtMode') ?? '');
  const name = shownText(
    textAt(service, 'PublishedServiceName', 'Text') ?? textAt(service, 'PublishedLineName', 'Text'),
  );
  if (mode !== undefined) return { mode, ...(name !== undefined && { brand: name }) };
  const numbers = [
    textAt(service, 'TrainNumber'),
    // Where servers of 1.0 have it.
    textAt(timed, 'Extension', 'PublishedJourneyNumber', 'Text'),
  ].map((text) => text?.replace(/^0+(?=.)/, ''));
  const told = numbers.find((text) => text !== undefined && /^\d{1,6}$/.test(text));
  const [, own, ownNumber] = (told === undefined && NUMBERED.exec(name ?? '')) || [];
  const number = told ?? ownNumber?.replace(/^0+(?=.)/, '');
  const category = shownText(
    textAt(service, 'ProductCategory', 'ShortName', 'Text') ??
      textAt(service, 'Mode', 'ShortName', 'Text'),
  );
  const line =
    own ??
    (number !== undefined && name?.endsWith(` ${number}`)
      ? name.slice(0, -number.length - 1).trim() || undefined
      : name);
  const isKnown = category === undefined || line?.toLowerCase().startsWith(category.toLowerCase());
  const brand = isKnown ? line : category;
  return {
    ...(number !== undefined && { number }),
    ...(brand !== undefined && { brand }),
  };
}

function modeOf(text: string): RideLeg['mode'] | undefined {
  const name = text.toLowerCase();
  const [, mode = 'other'] = modes.find(([pattern]) => pattern.test(name)) ?? [];
  return mode === 'train' ? undefined : mode;
}

/** Most trains that run together with another one. */
const MAX_COUPLED = 10;

/** Returns the numbers of the trains that run together with a ride, or with a part of it. */
export function coupledTo(
  timed: XmlElement,
  own: string | undefined,
): Pick<RideLeg, 'otherNumbers'> {
  const others = childrenOf(timed, 'ParallelService').slice(0, MAX_COUPLED);
  if (others.length === 0) return {};
  const numbers = new Set(others.map((each) => nameOf(each, each).number));
  numbers.delete(own);
  const known = [...numbers].filter((number) => number !== undefined);
  return known.length > 0 ? { otherNumbers: known } : {};
}
