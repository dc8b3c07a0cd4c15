import type { CarrierStatus } from '@ticketing/core';
import { isNotServed } from '../search/not-served.ts';
import { html, type SafeHtml } from './frame/html.ts';
import type { Names } from './journey/names.ts';

/** An icon and words for each state, so that colour alone says nothing. Each is in the usual fonts. */
const ICONS: Readonly<Record<CarrierStatus['state'], string>> = {
  running: '…',
  ok: '✓',
  empty: '○',
  timeout: '◷',
  error: '✕',
  cancelled: '–',
  'rejected-busy': '‖',
  'rate-limited': '◔',
};

/** Renders the state of one carrier. */
export function carrierChip(status: CarrierStatus, name: string): SafeHtml {
  const { carrier, state, error } = status;
  const reason = error === undefined ? '' : `${error.code}: ${error.message}`;
  return html`<li class="chip" data-carrier="${carrier}" data-state="${state}"${
    reason !== '' && html` title="${reason}"`
  }><span class="icon" aria-hidden="true">${ICONS[state]}</span> <b>${name}</b> <span class="figure">${chipText(status)}</span></li>`;
}

/** Says in words what became of a carrier. */
function chipText({ state, found, ms, error }: CarrierStatus): string {
  const time = `${Math.round(ms)} ms`;
  switch (state) {
    case 'running':
      return 'asking';
    case 'ok':
      return error === undefined ? `${found} · ${time}` : `${found}, not all · ${time}`;
    case 'empty':
      return `none · ${time}`;
    case 'timeout':
      return `no answer · ${time}`;
    case 'error':
      return `failed · ${time}`;
    case 'rejected-busy':
      return `busy · ${time}`;
    case 'rate-limited':
      return `asked too often · ${time}`;
    case 'cancelled':
      return 'stopped';
  }
}

/** Says how each carrier is asked, and why one did not answer. */
export function carrierNotes(
  carriers: readonly CarrierStatus[],
  { carriers: names, calls }: Pick<Names, 'carriers' | 'calls'>,
): SafeHtml {
  return html`${carriers.map(({ carrier, error, filtered, leftOut = {}, ignored = [] }) => {
    const asked = calls.get(carrier);
    return html`<li><b>${names.get(carrier) ?? carrier}</b>${asked !== undefined && ` ${asked}.`}${
      filtered !== undefined && ` ${filtered} of its journeys cannot be shown${reasonsOf(leftOut)}.`
    }${ignored.length > 0 && ` Its prices do not heed ${ignored.join(' and ')}.`}${
      error !== undefined && html` <code>${error.code}</code> ${error.message}.`
    }</li>`;
  })}`;
}

/** The reasons why journeys cannot be shown, after their sum: `: 2 with an unknown station`. */
function reasonsOf(leftOut: Readonly<Record<string, number>>): string {
  const parts = Object.entries(leftOut).map(([reason, count]) => `${count} ${reason}`);
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

/** What a search has come to, in one sentence for people and screen readers. */
export function statusText(search: {
  readonly carriers: readonly CarrierStatus[];
  readonly found: number;
  readonly names: ReadonlyMap<string, string>;
  /** Milliseconds of the whole search; `undefined` while it runs. */
  readonly ms?: number | undefined;
}): string {
  const { carriers, found, names, ms } = search;
  const journeys = found === 1 ? '1 journey' : `${found} journeys`;
  const listed = (some: readonly CarrierStatus[]): string =>
    some.map(({ carrier }) => names.get(carrier) ?? carrier).join(', ');
  const running = carriers.filter(({ state }) => state === 'running');
  if (ms === undefined) {
    return found === 0 && running.length === carriers.length
      ? `Asking ${carriers.length} carriers`
      : `${journeys}, waiting for ${listed(running)}`;
  }
  const failed = carriers.filter(({ state }) => state !== 'ok' && state !== 'empty');
  if (failed.length > 0) return `${journeys}; ${listed(failed)} did not answer`;
  const partial = carriers.filter(({ state, error }) => state === 'ok' && error !== undefined);
  if (partial.length > 0) return `${journeys}; ${listed(partial)} did not send all`;
  if (carriers.every(isNotServed)) return 'No carrier here goes there';
  if (found === 0) return 'No journeys on this day';
  return `${journeys} in ${Math.round(ms)} ms`;
}

/** Returns the ids of the carriers that have not answered, or not with all of their journeys, and may if they are asked again. */
export function toAskAgain(carriers: readonly CarrierStatus[]): string[] {
  return carriers
    .filter(
      ({ state, error }) =>
        state === 'running' ||
        state === 'timeout' ||
        state === 'rejected-busy' ||
        state === 'rate-limited' ||
        error?.retryable === true,
    )
    .map(({ carrier }) => carrier);
}
