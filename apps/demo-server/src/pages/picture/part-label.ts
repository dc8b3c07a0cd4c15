import { percent } from '../words/amounts.ts';
import { stateMarks } from '../words/state-marks.ts';
import type { Part } from './system/system-model.ts';

/** Returns the name of a part with its state and figures, as it is read out. */
export function partLabel(part: Part): string {
  const { kind, name, state, lines, share } = part;
  const { word } = stateMarks[state];
  const titles: Readonly<Partial<Record<Part['kind'], string>>> = {
    funnel: 'Coalescing, ',
    host: 'Host ',
    pool: name.startsWith('tasks') ? '' : 'Tasks of ',
  };
  const figures = {
    worker: () => [`${lines[0]} running`],
    server: () => [...lines, ...(share === undefined ? [] : [`${percent(share)} busy`])],
    more: () => lines.map((line) => line.replace(/^\P{L}*(?=\d)/u, '')),
  }[kind as 'worker' | 'server' | 'more'];
  const texts = (figures?.() ?? lines).map((text) => text.replaceAll(' · ', ', '));
  const states = kind === 'clients' || kind === 'more' ? [] : [word];
  return [`${titles[kind] ?? ''}${name}`, ...states, ...texts]
    .join(', ')
    .replaceAll('/s', ' per second');
}
