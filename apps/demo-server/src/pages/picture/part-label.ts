import { stateMarks } from '../words/state-marks.ts';
import type { Part } from './system/system-model.ts';

/**
 * Returns the name of a part as it is read out: its texts as they are seen, so that who speaks to the page can say them, and its
 * state.
 */
export function partLabel({ kind, name, state }: Part, texts: readonly string[]): string {
  const before = {
    funnel: texts.includes(name) ? 'Coalescing' : `Coalescing of ${name}`,
    worker: name,
    host: 'Host',
  }[kind as 'funnel' | 'worker' | 'host'];
  const { word } = stateMarks[state];
  const isSaid =
    kind !== 'clients' && kind !== 'more' && !texts.some((text) => text.endsWith(word));
  return [before, ...texts, isSaid && word]
    .filter((text) => typeof text === 'string' && text !== '')
    .join(', ');
}
