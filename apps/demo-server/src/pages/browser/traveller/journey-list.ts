import { type Journey, type JourneyOrder, sortJourneys } from '@ticketing/core';
import { html } from '../../frame/html.ts';
import { journeyDetails, journeyRow } from '../../journey/journey-row.ts';
import { clockOf, type Names } from '../../journey/names.ts';
import { fragmentOf, show } from '../dom/show.ts';

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
const SLICE_MS = 4;
/** Rows of work between two looks at input: the platform styles and lays out afterwards what a slice has changed. */
const SLICE_ROWS = 50;

/**
 * Patches a list by key: rows that stay are moved and not made anew, so that focus and open details survive. A row is
 * made again only when its journey has changed. Legs and offers are made when somebody opens them: a thousand of them would make
 * each layout several times as long.
 */
export function createJourneyList(list: HTMLElement, names: () => Names): JourneyList {
  const shown = new Map<string, { readonly journey: Journey; readonly row: HTMLElement }>();
  let current = 0;

  /** The row of a journey, in the place of the one that it had. */
  function rowOf(journey: Journey): { readonly row: HTMLElement; readonly old?: HTMLElement } {
    const known = shown.get(journey.id);
    if (known?.journey === journey) return { row: known.row };
    const row = fragmentOf(journeyRow(journey, names(), false)).firstElementChild as HTMLElement;
    shown.set(journey.id, { journey, row });
    if (known === undefined) return { row };
    if (known.row.querySelector('details')?.open) fill(row);
    replace(known.row, row);
    return { row, old: known.row };
  }

  /** Makes what is below the line of a row, if it is not there. */
  function fill(row: Element | null | undefined): void {
    const known = shown.get(row?.id ?? '');
    const details = known?.row.querySelector('details');
    if (known === undefined || details?.childElementCount !== 1) return;
    details.append(fragmentOf(journeyDetails(known.journey, names())));
  }

  // A click comes before it opens, from the keyboard too; a search in the page opens it without one.
  for (const event of ['click', 'toggle']) {
    list.addEventListener(event, ({ target }) => fill((target as Element).closest('.journey')), {
      capture: true,
    });
  }

  return {
    async update(journeys, order) {
      current += 1;
      const own = current;
      const sorted = sortJourneys(journeys, order);
      const ids = new Set(sorted.map(({ id }) => id));
      const gone = [...shown].filter(([id]) => !ids.has(id));
      let at: HTMLElement | null = null;
      let next = 0;
      let isBelow = false;
      // Whoever calls has work of its own.
      if (journeys.length > SLICE_ROWS) await nextTask();
      if (own !== current) return false;
      while (next < sorted.length || gone.length > 0) {
        // What changes below the window moves nothing in it, and need not be measured.
        isBelow ||= at !== null && placeOf(at, list) > innerHeight;
        const change = (): void => {
          const end = performance.now() + SLICE_MS;
          let left = SLICE_ROWS;
          // However slow the machine is, a slice does something.
          do {
            left -= 1;
            const hidden = gone.pop();
            if (hidden === undefined) {
              if (next === 0) at = list.firstElementChild as HTMLElement | null;
              at = put(sorted[next] as Journey, at);
              next += 1;
            } else {
              shown.delete(hidden[0]);
              hidden[1].row.remove();
            }
          } while (
            (next < sorted.length || gone.length > 0) &&
            left > 0 &&
            performance.now() < end
          );
        };
        if (isBelow) change();
        else glide(list, change);
        if (next < sorted.length || gone.length > 0) await nextTask();
        if (own !== current) return false;
      }
      return true;
    },
  };

  /** Puts the row of a journey before another; returns the row before which the next one comes. */
  function put(journey: Journey, before: HTMLElement | null): HTMLElement | null {
    const { row, old } = rowOf(journey);
    const at = before === old && old !== undefined ? row : before;
    if (row === at) return at.nextElementSibling as HTMLElement | null;
    move(list, row, at);
    return at;
  }
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

/** Milliseconds in which a row comes to its new place. */
const GLIDE_MS = 200;

/**
 * Changes a list so that the rows in view do not jump: each glides from where it is seen to its new place, or fades there for
 * people who want less motion. A row that has moved twice goes on from where it is seen.
 */
function glide(list: HTMLElement, change: () => void): void {
  const seen = nearView(list);
  change();
  for (const [row] of seen) for (const animation of row.getAnimations()) animation.cancel();
  // All are measured before any is changed: the list is laid out once.
  const moved = seen
    .filter(([row]) => row.isConnected)
    .map(([row, top]) => ({ row, top, now: row.getBoundingClientRect().top }))
    .filter(({ top, now }) => Math.abs(top - now) >= 1 && Math.min(top, now) < innerHeight);
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  for (const { row, top, now } of moved) {
    // A row that is put in anew appears; one that has the focus would lose it.
    if (!row.contains(document.activeElement)) list.insertBefore(row, row.nextElementSibling);
    if (Math.abs(top - now) > innerHeight) continue;
    const there = `translateY(${top - now}px)`;
    row.animate(isCalm ? fade(there) : { transform: [there, 'none'] }, {
      duration: GLIDE_MS,
      easing: 'ease-out',
    });
  }
}

function fade(there: string): Keyframe[] {
  return [
    { transform: there, opacity: 1 },
    { transform: there, opacity: 0, offset: 0.5 },
    { transform: 'none', opacity: 0, offset: 0.5 },
    { transform: 'none', opacity: 1 },
  ];
}

/**
 * The rows that are seen in the window, or have their place in it or in the window below, with where they are seen. A row that glides is
 * seen up to a window from its place, and rows with a place before its own may be far below.
 */
function nearView(list: HTMLElement): (readonly [row: HTMLElement, top: number])[] {
  const rows: (readonly [HTMLElement, number])[] = [];
  for (const child of list.children) {
    const row = child as HTMLElement;
    const place = placeOf(row, list);
    if (place > 2 * innerHeight) break;
    const { top, bottom, height } = row.getBoundingClientRect();
    if (bottom >= 0 || place + height >= 0) rows.push([row, top]);
  }
  return rows;
}

/** Where a row of a list is laid out, in pixels below the top of the window, wherever it is seen meanwhile. */
function placeOf(row: HTMLElement, list: HTMLElement): number {
  return list.getBoundingClientRect().top + row.offsetTop - list.offsetTop;
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
