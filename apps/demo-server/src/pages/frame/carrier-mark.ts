import { type CarrierMark, carrierMarks } from '../../carriers/carrier-marks.ts';
import { html, type SafeHtml } from './html.ts';

const marks: Readonly<Record<string, CarrierMark>> = carrierMarks;

/** Renders the mark of a carrier, or the initials of any other operator in grey. The name beside it has the same meaning. */
export function carrierMark(id: string, name: string, size: 'usual' | 'small' = 'usual'): SafeHtml {
  const own = Object.hasOwn(marks, id) ? marks[id] : undefined;
  const letters = own?.letters ?? initialsOf(name);
  return html`<span class="mark${own !== undefined && ` ${id}`}${size === 'small' && ' s'}" aria-hidden="true">${letters}</span>`;
}

/** Returns the style rules that give each mark its colour, in text and in drawings. */
export function markStyles(): string {
  return Object.entries(carrierMarks)
    .map(([id, { colour }]) => `.mk.${id},.mark.${id}{--mark:${colour}}`)
    .join('');
}

function initialsOf(name: string): string {
  const words = name.match(/\p{L}+/gu) ?? ['?'];
  const [first = '', second] = words;
  return (
    second === undefined ? first.slice(0, 2) : first.slice(0, 1) + second.slice(0, 1)
  ).toUpperCase();
}
