import { type Journey, type JourneyOrder, sortJourneys } from '@ticketing/core';
import { html } from '../html.ts';
import { clockOf, journeyRow, type Names } from '../journey-row.ts';
import { fragmentOf, show } from './show.ts';

/** What the filters let through; `''` lets everything through. */
export interface Filter {
  readonly carriers: ReadonlySet<string>;
  readonly direct: boolean;
  /** Departure, as `06:00`. */
  readonly from: string;
  readonly to: string;
}

/** Whether a journey passes. Without a carrier none is asked for, so all pass. */
export function passes({ sources, transfers, departure }: Journey, filter: Filter): boolean {
  const { carriers, direct, from, to } = filter;
  const time = clockOf(departure);
  return (
    (carriers.size === 0 || sources.some((source) => carriers.has(source))) &&
    (!direct || transfers === 0) &&
    (from === '' || time >= from) &&
    (to === '' || time <= to)
  );
}

/** The list of journeys on the page. */
export interface JourneyList {
  /**
   * Shows these journeys and resolves when all rows are there; `false` if a later update took over. Works in slices of a
   * few milliseconds, so that input and painting are not held up however many journeys there are.
   */
  update(journeys: readonly Journey[], order: JourneyOrder): Promise<boolean>;
}

/** Milliseconds of work between two looks at input. */
const SLICE_MS = 8;

/**
 * Patches a list by key: rows that stay are moved and not made anew, so that focus and open details survive. A row is
 * made again only when its journey has changed.
 */
export function createJourneyList(list: HTMLElement, names: () => Names): JourneyList {
  const shown = new Map<string, { readonly journey: Journey; readonly row: HTMLElement }>();
  let current = 0;

  /** The row of a journey, in the place of the one that it had. */
  function rowOf(journey: Journey): { readonly row: HTMLElement; readonly old?: HTMLElement } {
    const known = shown.get(journey.id);
    if (known?.journey === journey) return { row: known.row };
    const row = fragmentOf(journeyRow(journey, names())).firstElementChild as HTMLElement;
    shown.set(journey.id, { journey, row });
    if (known === undefined) return { row };
    replace(known.row, row);
    return { row, old: known.row };
  }

  return {
    async update(journeys, order) {
      current += 1;
      const own = current;
      const ids = new Set(journeys.map(({ id }) => id));
      for (const [id, { row }] of shown) {
        if (ids.has(id)) continue;
        shown.delete(id);
        row.remove();
      }
      let at = list.firstElementChild;
      let since = performance.now();
      for (const journey of sortJourneys(journeys, order)) {
        if (performance.now() - since > SLICE_MS) {
          await nextTask();
          if (own !== current) return false;
          since = performance.now();
        }
        const { row, old } = rowOf(journey);
        if (at === old && old !== undefined) at = row;
        if (row === at) at = at.nextElementSibling;
        else move(list, row, at);
      }
      return true;
    },
  };
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Puts a new row in the place of an old one, open if that was open, with the focus if that had it. */
function replace(old: HTMLElement, row: HTMLElement): void {
  const [was, is] = [old, row].map((one) => one.querySelector('details'));
  if (was && is) is.open = was.open;
  const hadFocus = old.contains(document.activeElement);
  old.replaceWith(row);
  if (hadFocus) row.querySelector('summary')?.focus();
}

/** `moveBefore` keeps focus and open details; it takes only rows that are in the document. */
function move(list: HTMLElement, row: HTMLElement, before: Element | null): void {
  const moving = list as HTMLElement & { moveBefore?: (row: Node, before: Node | null) => void };
  if (row.isConnected && moving.moveBefore !== undefined) moving.moveBefore(row, before);
  else list.insertBefore(row, before);
}

/** Renders the filters: a box for each carrier that has answered, direct trains, and a time window. */
export function showFilters(form: HTMLFormElement, carriers: ReadonlyMap<string, string>): void {
  show(
    form,
    html`<fieldset><legend>Carriers</legend>${[...carriers].map(
      ([id, name]) =>
        html`<label><input type="checkbox" name="carrier" value="${id}"> ${name}</label> `,
    )}</fieldset>
<label><input type="checkbox" name="direct"> Direct only</label>
<label>Departure from <input type="time" name="from"></label><label>to <input type="time" name="to"></label>
<p id="hidden-count" aria-live="polite"></p>`,
  );
}

/** Reads the filters. */
export function readFilter(form: HTMLFormElement): Filter {
  const data = new FormData(form);
  return {
    carriers: new Set(data.getAll('carrier').map(String)),
    direct: data.has('direct'),
    from: String(data.get('from') ?? ''),
    to: String(data.get('to') ?? ''),
  };
}
