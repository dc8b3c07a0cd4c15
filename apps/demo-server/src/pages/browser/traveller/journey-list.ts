import { html } from '../../frame/html.ts';
import { journeyBadge } from '../../journey/journey-badge.ts';
import { barWidth } from '../../journey/journey-bar.ts';
import { journeyRow, type RowPlace } from '../../journey/journey-row.ts';
import type { Names } from '../../journey/names.ts';
import { dayHeading } from '../../results/days/day-heading.ts';
import type { ListItem } from '../../results/listed-journeys.ts';
import { fragmentOf, show } from '../dom/show.ts';
import { later } from './later.ts';

/** The list of journeys on the page. */
export interface JourneyList {
  /**
   * Shows these items and resolves when all rows are there; `false` if a later update took over. Works in slices of a
   * few milliseconds, so that input and painting are not held up however many journeys there are.
   */
  update(items: readonly ListItem[], place: RowPlace): Promise<boolean>;
}

/** Milliseconds of work between two looks at input. */
const SLICE_MS = 4;
/** Rows of work between two looks at input: the platform styles and lays out afterwards what a slice has changed. */
const SLICE_ROWS = 40;

/**
 * Patches a list by key: rows that stay are moved and not made anew, so that focus and open details survive. A row is
 * made again only when its journey has changed. Legs and offers are made when somebody opens them: a thousand of them would make
 * each layout several times as long.
 */
export function createJourneyList(list: HTMLElement, names: () => Names): JourneyList {
  const shown = new Map<string, Shown>();
  let current = 0;

  /** The row of an item, in the place of the one that it had. */
  function rowOf(
    item: ListItem,
    place: RowPlace,
  ): { readonly row: HTMLElement; readonly old?: HTMLElement } {
    const known = shown.get(item.id);
    const isSame =
      item.kind === 'day' ||
      (known?.item.kind === 'journey' && known.item.journey === item.journey);
    if (known !== undefined && isSame) {
      dress(known, place);
      return { row: known.row };
    }
    const markup =
      item.kind === 'day'
        ? dayHeading(item)
        : journeyRow(item.journey, { names: names(), place, below: false });
    const row = fragmentOf(markup).firstElementChild as HTMLElement;
    shown.set(item.id, { item, row, place });
    if (known === undefined) return { row };
    if (known.row.querySelector('details')?.open) fill(row);
    replace(known.row, row);
    return { row, old: known.row };
  }

  /** Makes what is below the line of a row, if it is not there. */
  function fill(row: Element | null | undefined): void {
    const known = shown.get(row?.id ?? '');
    const details = known?.row.querySelector('details');
    if (known?.item.kind !== 'journey' || details?.childElementCount !== 1) return;
    const { journey } = known.item;
    // It opens at once; where the code is there already, this is replaced before anybody sees it.
    const pending = document.createElement('p');
    pending.className = 'pending';
    pending.textContent = 'Loading the trains and tickets';
    details.append(pending);
    void later().then(
      ({ journeyDetails }) => pending.replaceWith(fragmentOf(journeyDetails(journey, names()))),
      () => {
        // Opened again, it is tried again.
        details.addEventListener('toggle', () => pending.remove(), { once: true });
        pending.textContent = 'The trains and tickets did not load. Close, and open again.';
      },
    );
  }

  // A click comes before it opens, from the keyboard too; a search in the page opens it without one.
  for (const event of ['click', 'toggle']) {
    list.addEventListener(event, ({ target }) => fill((target as Element).closest('.journey')), {
      capture: true,
    });
  }

  return {
    async update(sorted, place) {
      current += 1;
      const own = current;
      const ids = new Set(sorted.map(({ id }) => id));
      const gone = [...shown].filter(([id]) => !ids.has(id));
      let at: HTMLElement | null = null;
      let next = 0;
      let isBelow = false;
      // Whoever calls has work of its own.
      if (sorted.length > SLICE_ROWS) await nextTask();
      if (own !== current) return false;
      while (next < sorted.length || gone.length > 0) {
        // What changes a window below the window moves nothing that is seen, not even a row that glides, and need not be measured.
        isBelow ||= at !== null && placeOf(at, list) > 2 * innerHeight;
        const change = (): void => {
          const end = performance.now() + SLICE_MS;
          let left = SLICE_ROWS;
          // However slow the machine is, a slice does something.
          do {
            left -= 1;
            const hidden = gone.pop();
            if (hidden === undefined) {
              if (next === 0) at = list.firstElementChild as HTMLElement | null;
              at = put(sorted[next] as ListItem, place, at);
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
        // Rows that are not measured are laid out with the next frame: no more than one slice of them.
        if (next < sorted.length || gone.length > 0) await (isBelow ? nextFrame() : nextTask());
        if (own !== current) return false;
      }
      return true;
    },
  };

  /** Puts the row of an item before another; returns the row before which the next one comes. */
  function put(item: ListItem, place: RowPlace, before: HTMLElement | null): HTMLElement | null {
    const { row, old } = rowOf(item, place);
    const at = before === old && old !== undefined ? row : before;
    if (row === at) return at.nextElementSibling as HTMLElement | null;
    move(list, row, at);
    return at;
  }
}

/** A row, and the list that it was drawn for. */
interface Shown {
  readonly item: ListItem;
  readonly row: HTMLElement;
  place: RowPlace;
}

/** Changes what depends on the list: the length of the line, and the badge. */
function dress(shown: Shown, place: RowPlace): void {
  const { item, row, place: before } = shown;
  shown.place = place;
  if (item.kind === 'day') return;
  const { journey } = item;
  if (before.longestMinutes !== place.longestMinutes) {
    row.querySelector('.bar')?.setAttribute('width', barWidth(journey, place.longestMinutes));
  }
  row.classList.toggle('cheapest', journey.id === place.leaders.cheapest);
  const [was, is] = [before, place].map(({ leaders }) => journeyBadge(journey, leaders));
  const flag = row.querySelector('.flag');
  if (flag !== null && String(was) !== String(is)) show(flag, is || html``);
}

/** Resolves in a task of its own after the next frame. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Resolves in a task of its own: input comes first. */
export function nextTask(): Promise<void> {
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
export function glide(list: HTMLElement, change: () => void): void {
  const seen = nearView(list);
  change();
  for (const { row } of seen) for (const animation of row.getAnimations()) animation.cancel();
  // All are measured before any is changed: the list is laid out once.
  const moved = seen
    .filter(({ row }) => row.isConnected)
    .map((one) => ({ ...one, now: one.row.getBoundingClientRect().top }))
    // A row may be seen, on its way, where its new place is: its place has moved nevertheless.
    .filter(({ top, place, now }) => Math.max(Math.abs(top - now), Math.abs(place - now)) >= 1)
    .filter(({ top, place, now }) => Math.min(top, place, now) < innerHeight);
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
 * Returns the rows that are seen in the window, or have their place in it or in the window below, with where they are seen and where
 * their place is. A row that glides is seen up to a window from its place, and rows with a place before its own may be far below.
 */
function nearView(list: HTMLElement): { row: HTMLElement; top: number; place: number }[] {
  const rows: { row: HTMLElement; top: number; place: number }[] = [];
  for (const child of list.children) {
    const row = child as HTMLElement;
    const place = placeOf(row, list);
    if (place > 2 * innerHeight) break;
    const { top, bottom, height } = row.getBoundingClientRect();
    if (bottom >= 0 || place + height >= 0) rows.push({ row, top, place });
  }
  return rows;
}

/** Returns where a row of a list is laid out, in pixels below the top of the window, wherever it is seen meanwhile. */
function placeOf(row: HTMLElement, list: HTMLElement): number {
  return list.getBoundingClientRect().top + row.offsetTop - list.offsetTop;
}

/** `moveBefore` keeps focus and open details; it takes only rows that are in the document. */
function move(list: HTMLElement, row: HTMLElement, before: Element | null): void {
  const moving = list as HTMLElement & { moveBefore?: (row: Node, before: Node | null) => void };
  if (row.isConnected && moving.moveBefore !== undefined) moving.moveBefore(row, before);
  else list.insertBefore(row, before);
}
