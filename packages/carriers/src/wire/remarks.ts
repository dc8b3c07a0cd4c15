import { MAX_REMARK_LENGTH, MAX_REMARKS, type Remark } from '@ticketing/core';
import { plainText } from './plain-text.ts';
import { shownText } from './shown-text.ts';

/** Fields of a remark on a wire. */
export interface WireRemark {
  readonly kind: Remark['kind'];
  /** HTML or plain text; parts of one remark, in turn. */
  readonly texts: Iterable<unknown>;
  readonly code?: unknown;
  readonly language?: unknown;
}

/** A tag of BCP 47, as far as servers write more than a language. */
const LANGUAGE = /^[a-zA-Z]{2,3}(?:-[a-zA-Z\d]{2,8})?$/;
const ENDED = /[.!?:;,…]$/;
const HALF_A_PAIR = /[\ud800-\udbff]$/;
/** Most texts of one remark. */
const MAX_PARTS = 20;

/**
 * Returns texts of one thing, HTML or not, as one plain text, sentence after sentence; `undefined` without any. One that another begins
 * with counts once.
 */
export function joinTexts(texts: Iterable<unknown>): string | undefined {
  return joinPlain(plainTexts(texts));
}

function* plainTexts(texts: Iterable<unknown>): Iterable<string> {
  for (const text of texts) if (typeof text === 'string') yield plainText(text);
}

/** Joins texts that are plain: entities in them are text. */
export function joinPlain(texts: Iterable<string | undefined>): string | undefined {
  const parts: string[] = [];
  for (const part of texts) {
    if (part && !parts.some((other) => other.startsWith(part))) parts.push(part);
    if (parts.length >= MAX_PARTS) break;
  }
  const [first = '', ...more] = parts;
  const whole = more.reduce(
    (before, part) => `${before}${ENDED.test(before) ? '' : '.'} ${part}`,
    first,
  );
  return whole.slice(0, MAX_REMARK_LENGTH).replace(HALF_A_PAIR, '').trimEnd() || undefined;
}

/** Returns a remark as plain text; `undefined` without a text. */
export function remarkOf({ kind, texts, code, language }: WireRemark): Remark | undefined {
  const text = joinTexts(texts);
  if (text === undefined) return undefined;
  const shownCode = shownText(code);
  return {
    kind,
    text,
    ...(shownCode !== undefined && { code: shownCode }),
    ...(typeof language === 'string' && LANGUAGE.test(language) && { language }),
  };
}

/** Returns remarks, each text once, disruptions first, as many as a list may have; `undefined` for none. */
export function listRemarks(
  found: Iterable<Remark | undefined>,
): readonly [Remark, ...Remark[]] | undefined {
  let lists: Readonly<Record<Remark['kind'], Map<string, Remark>>> | undefined;
  for (const remark of found) {
    if (remark === undefined) continue;
    // Most rides have none.
    lists ??= { disruption: new Map(), info: new Map() };
    const list = lists[remark.kind];
    if (list.size < MAX_REMARKS && !list.has(remark.text)) list.set(remark.text, remark);
  }
  if (lists === undefined) return undefined;
  const { disruption: disruptions, info: infos } = lists;
  for (const text of disruptions.keys()) infos.delete(text);
  const [first, ...more] = [...disruptions.values(), ...infos.values()].slice(0, MAX_REMARKS);
  return first && [first, ...more];
}
