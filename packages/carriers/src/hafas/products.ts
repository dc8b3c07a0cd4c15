import type { RideLeg } from '@ticketing/core';
import { shownText } from '../wire/shown-text.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import type { ConnectionDecoder } from './calls.ts';

/** Returns the name of what runs, and whether it is a train. */
export function nameOf(
  { profile }: ConnectionDecoder,
  product: WireRecord,
): Pick<RideLeg, 'mode' | 'brand' | 'number'> {
  const context = Object(product['prodCtx']) as WireRecord;
  const { cls } = product;
  const bit = typeof cls === 'number' || typeof cls === 'string' ? String(cls) : '';
  const known = Object.hasOwn(profile.products, bit) ? profile.products[bit] : 'other';
  const mode = cls === undefined ? 'train' : (known ?? 'other');
  const number = numberOf(product);
  const brand =
    mode === 'train'
      ? trainName(product, context, number)
      : (textOf(product, 'nameS') ?? textOf(context, 'line') ?? textOf(product, 'name'));
  return {
    ...(mode !== 'train' && { mode }),
    ...(brand !== undefined && { brand }),
    ...(mode === 'train' && number !== undefined && { number }),
  };
}

/** Returns the number of a train, without leading zeros. */
export function numberOf({ prodCtx }: WireRecord): string | undefined {
  const number = textOf(Object(prodCtx) as WireRecord, 'num')?.replace(/^0+(?=.)/, '');
  return number !== undefined && /^\d{1,6}$/.test(number) ? number : undefined;
}

/**
 * Returns the name of a train: that of its line, `S3`, else its category. Servers write the line as `S3`, or as `3` beside the name
 * `S 3`; and the short name is the line, or category and number as one text, or a code of the operator's kind.
 */
function trainName(
  product: WireRecord,
  context: WireRecord,
  number: string | undefined,
): string | undefined {
  const [line, short, name] = [
    textOf(context, 'line'),
    textOf(product, 'nameS'),
    textOf(product, 'name')?.replace(/\s{2,}/g, ' '),
  ];
  const isNamed = (text: string | undefined): text is string =>
    text !== undefined && /^\p{L}/u.test(text);
  if (line !== undefined) {
    if (isNamed(line)) return line;
    const whole = [short, name].find((text) => isNamed(text) && text.endsWith(line));
    if (whole !== undefined) return whole;
  }
  const [ownShort, ownName] = [short, name].map((text) => withoutNumber(text, number));
  if (isNamed(ownShort) && /\d/.test(ownShort)) return ownShort;
  return textOf(context, 'catOut') ?? ownShort ?? ownName;
}

/** Returns `RJX` of `RJX 60` and of `RJX60`, `undefined` of `60`. */
function withoutNumber(text: string | undefined, number: string | undefined): string | undefined {
  if (text === undefined || number === undefined || !text.endsWith(number)) return text;
  return text.slice(0, -number.length).trimEnd() || undefined;
}

/** Returns a text without the spaces that fill it; `undefined` for none. */
export function textOf(record: WireRecord, name: string): string | undefined {
  return shownText(record[name]);
}
