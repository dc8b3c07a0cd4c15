import { MAX_REMARKS, type Remark } from '@ticketing/core';
import { plainText } from './plain-text.ts';
import { shownText } from './shown-text.ts';

/** A remark as a wire has it: any field may be anything. */
export interface WireRemark {
  readonly kind: Remark['kind'];
  /** May have HTML. */
  readonly text: unknown;
  readonly code?: unknown;
  readonly language?: unknown;
}

/** Returns remarks as people are shown them: plain text, each text once, as many as the model holds; `undefined` for none. */
export function shownRemarks(remarks: readonly WireRemark[]): readonly Remark[] | undefined {
  const shown = new Map<string, Remark>();
  for (const { kind, text, ...more } of remarks) {
    const plain = typeof text === 'string' ? plainText(text) : '';
    if (plain === '' || shown.has(plain)) continue;
    const [code, language] = [shownText(more.code), shownText(more.language)];
    shown.set(plain, {
      kind,
      text: plain,
      ...(code !== undefined && { code }),
      ...(language !== undefined && { language }),
    });
    if (shown.size === MAX_REMARKS) break;
  }
  return shown.size === 0 ? undefined : [...shown.values()];
}
