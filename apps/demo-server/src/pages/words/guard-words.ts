import type { OperatorView } from '../../figures/view-schema.ts';
import { type GuardFigures, joined } from '../../guard/joined-guards.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { decimal, ms, whole } from './amounts.ts';
import { stateMarks } from './state-marks.ts';

type CarrierRow = OperatorView['carriers'][number];

/** Returns the guard of a carrier over all processes that search; `undefined` if it has none, or was not asked. */
export function guardOf(rows: readonly CarrierRow[]): GuardFigures | undefined {
  const [first, ...others] = rows.flatMap(({ guard }) => guard ?? []);
  return first === undefined ? undefined : others.reduce<GuardFigures>(joined, first);
}

/** Returns in a few words whether a guard lets calls through. */
export function guardText({ circuit, openMs, pausedMs }: GuardFigures): string {
  if (circuit === 'open') return `open, ${ms(openMs)}`;
  return pausedMs > 0 ? `paused, ${ms(pausedMs)}` : circuit;
}

/** Renders whether a guard lets calls through, as a shape and words in their colour. */
export function guardCell(guard: GuardFigures): SafeHtml {
  const { glyph, ink } = stateMarks[markOf(guard)];
  return html`<span class="state ${ink}"><span aria-hidden="true">${glyph}</span> ${guardText(guard)}</span>`;
}

function markOf({ circuit, pausedMs }: GuardFigures) {
  if (circuit === 'open') return 'fails';
  if (pausedMs > 0) return 'slow';
  return circuit === 'half-open' ? 'starting' : 'healthy';
}

/** Returns the figures of a guard: names and texts. */
export function guardFacts(
  guard: GuardFigures,
): readonly (readonly [name: string, text: string])[] {
  const { calls, retries, hedges, refusedByCircuit, refusedByRate, budget, tokens } = guard;
  return [
    ['Circuit', guardText(guard)],
    ['Guarded calls', whole(calls)],
    ['Refused by circuit, by rate', `${refusedByCircuit}, ${refusedByRate}`],
    ['Retries, hedges', `${retries}, ${hedges}`],
    ...(budget === undefined ? [] : [['Retries left', decimal(budget)] as const]),
    ...(tokens === undefined ? [] : [['Questions left of the rate', decimal(tokens)] as const]),
  ];
}
