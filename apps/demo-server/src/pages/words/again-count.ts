import { html, type SafeHtml } from '../frame/html.ts';
import { counted } from './amounts.ts';

/** Part of a carrier's status. */
interface PausedCarrier {
  /** Epoch ms; absent for a carrier that may be asked. */
  readonly againAt?: number | undefined;
  readonly error?: { readonly retryAfterMs?: number | undefined } | undefined;
}

/**
 * Renders when a carrier is asked again: `in 4 s`. The script counts it down, within the same width, and has the time of the day for
 * screen readers. Nothing for a carrier that has no such time.
 */
export function againCount({ againAt, error }: PausedCarrier): SafeHtml | undefined {
  const { retryAfterMs = 0 } = error ?? {};
  if (againAt === undefined) return undefined;
  const long = waitOf(retryAfterMs)[1] === 'minute' && ' long';
  return html`<b class="num again${long}" data-again-at="${againAt}" aria-hidden="true">${againText(retryAfterMs)}</b><span class="sr">${spokenWait(retryAfterMs)}</span>`;
}

/** Returns the count for a time that is left: `in 4 s`, or `now`. */
export function againText(leftMs: number): string {
  const [count, unit] = waitOf(leftMs);
  return count === 0 ? 'now' : `in ${count} ${unit === 'second' ? 's' : 'min'}`;
}

function spokenWait(leftMs: number): string {
  const [count, unit] = waitOf(leftMs);
  return `in ${counted(count, unit)}`;
}

const LONGEST_IN_SECONDS = 99;

/** Rounds up: whoever comes when it is over is not refused. */
function waitOf(leftMs: number): readonly [count: number, unit: 'second' | 'minute'] {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return seconds > LONGEST_IN_SECONDS ? [Math.ceil(seconds / 60), 'minute'] : [seconds, 'second'];
}
