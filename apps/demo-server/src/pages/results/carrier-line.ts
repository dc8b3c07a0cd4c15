import type { CarrierStatus } from '@ticketing/core';
import { hasFailed, isBusy } from '../../search/carrier-states.ts';
import { isNotServed } from '../../search/not-served.ts';
import { carrierMark } from '../frame/carrier-mark.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';
import { countText, listText } from '../journey/display-texts.ts';
import { type Names, nameOf } from '../journey/names.ts';
import { againCount } from '../words/again-count.ts';
import { isOldAnswer, keptText } from '../words/kept-ages.ts';
import type { ShownStatus } from './search-state.ts';

/** Numbers of a search. */
export interface Counted {
  readonly carriers: readonly CarrierStatus[];
  readonly found: number;
  /** Number of journeys that pass the filters. */
  readonly shown?: number | undefined;
  /** Carriers that list one of them. */
  readonly sellers: number;
  readonly isAsking: boolean;
}

/** Returns the result of a search in one line, for people and screen readers. */
export function countLine({ carriers, found, shown = found, sellers, isAsking }: Counted): string {
  const trains = countText(found, 'train');
  if (isAsking) {
    if (carriers.length === 0) return 'Asking';
    const answered = carriers.filter(({ state }) => state !== 'running').length;
    return `${answered} of ${carriers.length} answered${found > 0 ? ` · ${trains} so far` : ''}`;
  }
  const of = sellers > 0 ? ` of ${countText(sellers, 'carrier')}` : '';
  return shown < found ? `${shown} of ${trains}${of}` : `${trains}${of}`;
}

/** Renders the line above the list; inside it is what each carrier answered. */
export function carrierLine(counted: Counted): SafeHtml {
  const { carriers, isAsking } = counted;
  return html`${
    isAsking &&
    html`<span class="answered" aria-hidden="true">${carriers.map(({ state }) => html`<i${state !== 'running' && html` class="done"`}></i>`)}</span>`
  }<span>${countLine(counted)}</span> ${icon('down', 'chevron')}`;
}

/** Renders what each carrier answered, when, how it is asked, and why it did not answer. */
export function carrierList(carriers: readonly ShownStatus[], names: Names): SafeHtml {
  return html`<ul>${carriers.map((status) => {
    const { carrier, state, ms, error, filtered, leftOut = {}, ignored = [] } = status;
    const { attempts = 1, hedged } = status;
    const again = againCount(status);
    const kept = keptText(status);
    const [name, asked] = [nameOf(names.carriers, carrier), names.calls.get(carrier)];
    return html`<li data-carrier="${carrier}" data-state="${state}">${carrierMark(carrier, name, 'small')}<b>${name}</b><span>${cameText(status)}${again && html`, again ${again}`}</span><span class="muted num">${state !== 'running' && `${Math.round(ms)} ms`}</span><p>${asked !== undefined && `It ${asked}.`}${
      filtered !== undefined && ` ${filtered} of its journeys cannot be shown${reasonsOf(leftOut)}.`
    }${ignored.length > 0 && ` Its prices do not heed ${ignored.join(' and ')}.`}${kept !== undefined && ` ${kept}`}${attempts > 1 && ` It was asked ${attempts} times${hedged ? ', once because it was slow' : ''}.`}${
      error !== undefined && html` <code>${error.code}</code> ${error.message}.`
    }</p></li>`;
  })}</ul>`;
}

/** Returns the outcome of a carrier in words. */
function cameText(status: CarrierStatus): string {
  const { state, found, error } = status;
  switch (state) {
    case 'running':
      return 'asking';
    case 'ok':
      return `${countText(found, 'train')}${error === undefined || isOldAnswer(status) ? '' : ', not all'}`;
    case 'empty':
      return isNotServed(status) ? 'does not go there' : 'no trains';
    case 'timeout':
      return 'no answer in time';
    case 'error':
      return 'failed';
    case 'rejected-busy':
      return 'busy';
    case 'rate-limited':
      return 'asked too often';
    case 'circuit-open':
      return 'paused after failures';
    case 'cancelled':
      return 'stopped';
  }
}

/** The reasons why journeys cannot be shown, after their sum: `: 2 with an unknown station`. */
function reasonsOf(leftOut: Readonly<Record<string, number>>): string {
  const parts = Object.entries(leftOut).map(([reason, count]) => `${count} ${reason}`);
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

/** Returns a line with the carriers whose trains are missing below; `undefined` if none are. */
export function missingText(
  carriers: readonly CarrierStatus[],
  names: Names,
): { readonly title: string; readonly text: string } | undefined {
  const failed = carriers.filter(hasFailed);
  const partial = carriers.filter(
    (one) => one.state === 'ok' && one.error !== undefined && !isOldAnswer(one),
  );
  const missing = failed.length > 0 ? failed : partial;
  if (missing.length === 0) return undefined;
  const who = listText(missing.map(({ carrier }) => nameOf(names.carriers, carrier)));
  const whose = missing.length === 1 ? 'Its' : 'Their';
  if (failed.length === 0) {
    return {
      title: `${who} did not send all.`,
      text: `Some of ${whose.toLowerCase()} trains are missing below.`,
    };
  }
  return { title: `${who} ${failureText(failed)}.`, text: `${whose} trains are missing below.` };
}

/** Returns the reason why carriers did not answer, where they have one in common. */
function failureText(failed: readonly CarrierStatus[]): string {
  const all = (state: CarrierStatus['state']): boolean =>
    failed.every((one) => one.state === state);
  const is = failed.length === 1 ? 'is' : 'are';
  if (all('timeout')) return 'did not answer in time';
  if (all('rejected-busy')) return `${is} too busy to answer`;
  if (all('circuit-open')) return `${is} paused after failures`;
  if (all('rate-limited')) return `${failed.length === 1 ? 'was' : 'were'} asked too often`;
  return 'did not answer';
}

/**
 * Returns the ids of the carriers that have not answered, or not with all of their journeys, and may if they are asked again: now, or
 * with `now` absent at some time.
 */
export function toAskAgain(carriers: readonly ShownStatus[], now = Infinity): string[] {
  return carriers
    .filter(mayAnswer)
    .filter(({ againAt = 0 }) => againAt <= now)
    .map(({ carrier }) => carrier);
}

/** Returns the carrier that may be asked again first; `undefined` if one may be at once. */
export function firstAgain(carriers: readonly ShownStatus[]): ShownStatus | undefined {
  const [first] = carriers
    .filter(mayAnswer)
    .toSorted(({ againAt: one = 0 }, { againAt: other = 0 }) => one - other);
  return first?.againAt === undefined ? undefined : first;
}

function mayAnswer(status: ShownStatus): boolean {
  const { state, error } = status;
  const isOpen = state === 'running' || state === 'timeout' || isBusy(status);
  return isOpen || error?.retryable === true;
}
