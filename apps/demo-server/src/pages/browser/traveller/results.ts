import type { ShownProblem } from '../../form/shown-problem.ts';
import { html } from '../../frame/html.ts';
import type { Names } from '../../journey/names.ts';
import { countLine, toAskAgain } from '../../results/carrier-line.ts';
import { daysAround } from '../../results/days/day-strip.ts';
import { filterPanel } from '../../results/filter-panel.ts';
import { choicesOf, passes } from '../../results/journey-filter.ts';
import {
  dayOf,
  leaderIds,
  listItems,
  longestOf,
  lowestPrice,
} from '../../results/listed-journeys.ts';
import {
  counted,
  ghostRows,
  isAsking,
  leading,
  noteOf,
  places,
  type ShownSearch,
  shownSearch,
} from '../../results/places.ts';
import { searchKey } from '../../results/search-address.ts';
import {
  type Direction,
  idle,
  type JoinJourneys,
  reduce,
  type SearchState,
} from '../../results/search-state.ts';
import { elementOf } from '../dom/element-of.ts';
import { fragmentOf, show, showAnew } from '../dom/show.ts';
import type { AroundSearch } from './around-search.ts';
import type { Countdown } from './countdown.ts';
import { createDayPrices } from './day-prices.ts';
import { createFilters } from './filters.ts';
import { createJourneyList, glide, nextTask } from './journey-list.ts';
import { later } from './later.ts';
import { follow } from './search-feed.ts';

/** Screen readers repeat a line that changes: once a second at most. */
const STATUS_EVERY_MS = 1000;
/** Rows that come later push others down: carriers that answer at about the same time are drawn at once. */
const LIST_EVERY_MS = 300;
/** Journeys above which a list is drawn in several tasks. */
const MUCH = 100;
/** Parameters that a stream of journeys does not have: the way back is asked for beside it. */
const NOT_STREAMED: ReadonlySet<string> = new Set(['plain', 'returnDate', 'returnTime']);
/** Events after which the rows of the search before are still all that there is. */
const WAITS: ReadonlySet<string> = new Set(['asked', 'search-started', 'carrier-status']);

/** Note where even the code for one cannot be loaded. */
const UNLOADED = html`<div class="card empty lone"><h2>The connection broke</h2><a class="button" href="" data-again>Ask again</a></div>`;

/** The results of a page. */
export interface Results {
  /** Follows the search of an address; without stations there is none. */
  ask(address: URLSearchParams): void;
  /** Ends the search that is followed. */
  leave(): void;
}

/** The page around the results. */
export interface ResultsSurroundings {
  readonly main: HTMLElement;
  readonly names: Names;
  readonly examples: ShownSearch['ways']['examples'];
  /** Shows a problem beside its field; `false` if it has none. */
  showProblem(problem: ShownProblem | undefined): boolean;
  /** Called when a search has ended, in whatever way. */
  onSettled(): void;
  /** Goes to another address, as a link does. */
  goTo(address: URLSearchParams): void;
}

/** Starts the results of a page. Whatever comes is drawn into its place. */
export function createResults(page: ResultsSurroundings): Results {
  const { main } = page;
  const place = (id: string): HTMLElement => elementOf(main, `#${id}`);
  const [days, journeys, status] = [place('days'), place('journeys'), place('status')];
  const list = createJourneyList(journeys, () => shown().names);
  const prices = createDayPrices(() => sessionStorage);
  const filters = createFilters(main, () => void drawList());
  let countdown: Countdown | undefined;
  let around: AroundSearch | undefined;

  let state: SearchState = idle;
  let address = new URLSearchParams();
  /** Latest search, for asking again. */
  let asked: { readonly url: URLSearchParams; readonly more?: Direction | undefined } = {
    url: address,
  };
  let leaving = new AbortController();
  let spokenAt = Number.NEGATIVE_INFINITY;
  let speaking: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  let listedAt = 0;
  let listing: ReturnType<typeof setTimeout> | undefined;
  /** Rows of the last search stay, dimmed, until the first new ones come. */
  let isStale = false;

  function shown(): ShownSearch {
    const { first = '', last = '', day: usual = '' } = days.dataset;
    const { names, examples } = page;
    const key = searchKey(address);
    const own = prices.of(key);
    const ways = {
      bounds: { first, last },
      // What the search of a day has found counts before what a calendar says.
      prices: around ? new Map([...around.pricesOf(key), ...own]) : own,
      states: around?.statesOf(key),
      examples,
    };
    return shownSearch({ state, names, address, usual, ways });
  }

  /** Searches. With `again`, only these carriers are asked; with `more`, known journeys stay. */
  async function search(
    url: URLSearchParams,
    {
      again,
      more,
      fresh = false,
    }: {
      readonly again?: readonly string[] | undefined;
      readonly more?: Direction | undefined;
      /** Asks every carrier now. */
      readonly fresh?: boolean;
    } = {},
  ): Promise<void> {
    leaving.abort();
    leaving = new AbortController();
    drawings += 1;
    awaitedDay = undefined;
    const { signal } = leaving;
    if (!url.has('origin') && !url.has('destination')) {
      state = idle;
      draw();
      return;
    }
    asked = { url, more };
    let join: JoinJourneys | undefined;
    if (again !== undefined || more !== undefined) {
      // Without the network no carrier can be asked.
      join = (await later().catch(() => undefined))?.joinJourneys;
      if (signal.aborted) return;
      if (join === undefined) {
        state = reduce(state, { type: 'broken' });
        draw();
        return;
      }
    }
    isStale = more === undefined && journeys.childElementCount > 0;
    listedAt = performance.now();
    // A form that was sent without script has its empty fields, too.
    const wanted = new URLSearchParams(
      [...url].filter(([name, value]) => !NOT_STREAMED.has(name) && value !== ''),
    );
    if (more === undefined && again === undefined) showAnew(place('trip'), undefined);
    if (again !== undefined) wanted.set('carriers', again.join());
    if (fresh) wanted.set('fresh', '1');
    void follow(`/search?${wanted}`, {
      asked: { again, more, join },
      signal,
      onEvent(event) {
        state = reduce(state, event, Date.now());
        if (!WAITS.has(event.type)) isStale = false;
        if (event.type === 'search-done') remember();
        // Many events come at once: one picture of all.
        if (frame === 0) frame = requestAnimationFrame(draw);
      },
    }).then(() => {
      page.onSettled();
      if (!signal.aborted && more === undefined) void askAround(signal);
    });
  }

  /** Asks for the prices of other days, and for the way back. The list comes first. */
  async function askAround(signal: AbortSignal): Promise<void> {
    around ??= (await later().catch(() => undefined))?.createAroundSearch();
    if (signal.aborted || state.phase !== 'done') return;
    const { day, ways, names } = shown();
    around?.ask({
      signal,
      address,
      names,
      lowestPrice,
      day,
      key: searchKey(address),
      days: daysAround(day, ways.bounds),
      onDays: drawLine,
      onTrip: (trip) => showAnew(place('trip'), trip),
    });
  }

  /** Keeps the lowest price of the day, for the strip of other days. */
  function remember(): void {
    const { day, journeys: found } = state;
    if (day === undefined || address.has('page')) return;
    const price = lowestPrice([...found.values()].filter((one) => dayOf(one) === day));
    if (price !== undefined) prices.remember(searchKey(address), day, price);
  }

  function draw(): void {
    frame = 0;
    const { phase, problem } = state;
    if (isStale || phase === 'asking') main.dataset['state'] = phase;
    const isOfField = page.showProblem(phase === 'failed' ? problem : undefined);
    main.toggleAttribute('data-wrong', isOfField);
    drawLine();
    journeys.classList.toggle('stale', isStale);
    clearTimeout(listing);
    if (!isStale) {
      const wait = phase === 'asking' ? listedAt + LIST_EVERY_MS - performance.now() : 0;
      if (wait <= 0) void drawList();
      else listing = setTimeout(drawList, wait);
    }
    const wait = spokenAt + STATUS_EVERY_MS - performance.now();
    clearTimeout(speaking);
    if (wait <= 0 || phase !== 'asking') speak();
    else speaking = setTimeout(speak, wait);
  }

  /** Draws what is above the list: it has the same size whatever is in it. */
  function drawLine(): void {
    const search = shown();
    showAnew(days, places.days(search));
    centre(days);
    showAnew(place('tabs'), places.tabs(search));
    elementOf<HTMLSelectElement>(main, '#order').value = search.order;
    showAnew(place('count'), places.count(search));
    showAnew(place('carriers'), places.carriers(search));
    void countDown();
  }

  /** Counts down until carriers may be asked again, if some may not yet. */
  async function countDown(): Promise<void> {
    if (countdown === undefined && main.querySelector('[data-again-at]') !== null) {
      const { createCountdown } = (await later().catch(() => undefined)) ?? {};
      countdown ??= createCountdown?.(main);
    }
    countdown?.follow();
  }

  /** Draws the list and what counts it, in a few tasks where there is much: input is not held up. */
  async function drawList(): Promise<void> {
    listedAt = performance.now();
    drawings += 1;
    const own = drawings;
    const isMuch = state.journeys.size > MUCH;
    if (isMuch) await nextTask();
    if (own !== drawings) return;
    const search = shown();
    const { phase, more } = state;
    const all = [...state.journeys.values()];
    const filter = filters.read();
    const visible = all.filter((journey) => passes(journey, filter));
    const choices = choicesOf(all);
    filters.draw(
      filterPanel({
        choices,
        filter,
        carriers: state.carriers,
        names: search.names,
        isAsking: isAsking(state),
      }),
      visible.length,
    );
    showAnew(place('count'), places.count(search, visible.length));
    if (isMuch) await nextTask();
    if (own !== drawings) return;
    const items = listItems(visible, search);
    if (isMuch) await nextTask();
    if (own !== drawings) return;
    const hadMore = place('pages').contains(document.activeElement) || isFocusLost;
    const change = (): void => {
      const isMoved = showAnew(place('notice'), places.notice(search));
      // A list that is put in anew appears below the notice; one that has the focus would lose it.
      if (isMoved && !journeys.contains(document.activeElement)) {
        journeys.parentElement?.insertBefore(journeys, journeys.nextElementSibling);
      }
      void drawEmpty(search, { shown: visible.length, own });
      void countDown();
    };
    if (journeys.childElementCount > 0) glide(journeys, change);
    else change();
    // Taken away, and put back below all rows: pushed down by them, they would be seen to jump.
    showAnew(place('pages'), undefined);
    document.getElementById('ghosts')?.remove();
    isFocusLost = hadMore && phase === 'asking';
    const isNew = (id: string): boolean => document.getElementById(id) === null;
    const day = items.find(({ kind, id }) => kind === 'day' && isNew(id));
    if (day !== undefined && (more !== undefined || hadMore)) awaitedDay = day.id;
    const leaders = leaderIds(leading(state));
    void list.update(items, { longestMinutes: longestOf(all), leaders }).then((isWhole) => {
      if (!isWhole) return;
      void drawRates(search, own);
      showAnew(place('pages'), places.pages(search));
      if (phase === 'asking') place('list').append(fragmentOf(ghostRows(items.length === 0)));
      focusDay();
      // Rows that can be seen can be opened, however long a carrier takes.
      if (items.length > 0) requestIdleCallback(() => later().catch(() => {}));
      main.dataset['state'] = phase;
    });
  }

  /** Draws why there is no row, with code that a list with rows does not need. */
  async function drawEmpty(
    search: ShownSearch,
    { shown: rows, own }: { readonly shown: number; readonly own: number },
  ): Promise<void> {
    const { state: drawn } = search;
    const isEmpty = rows === 0 && (drawn.journeys.size > 0 || !isAsking(drawn));
    const loaded = isEmpty ? await later().catch(() => undefined) : undefined;
    if (own !== drawings) return;
    const note = loaded?.emptyNote(drawn, { ...noteOf(search), shown: rows });
    showAnew(place('empty'), isEmpty && loaded === undefined ? UNLOADED : note);
    void countDown();
  }

  /** Draws by which rates prices are converted, below the list. */
  async function drawRates(search: ShownSearch, own: number): Promise<void> {
    const mayBe = search.state.rates !== undefined || search.address.get('currency');
    const loaded = mayBe ? await later().catch(() => undefined) : undefined;
    if (own !== drawings) return;
    const note = loaded?.ratesNoteOf(search);
    showAnew(place('rates'), note === undefined ? undefined : html`${note}`);
  }

  /** Lists that were begun: a later one takes over. */
  let drawings = 0;

  /** Somebody asked for more trains by the keyboard, and the link is gone. */
  let isFocusLost = false;
  /** Heading of the day that somebody asked for, until the list that has it is whole. */
  let awaitedDay: string | undefined;

  /** Leads to the journeys that somebody asked for. */
  function focusDay(): void {
    const heading = document.getElementById(awaitedDay ?? '')?.querySelector('h2');
    if (!heading) return;
    heading.focus();
    awaitedDay = undefined;
    isFocusLost = false;
  }

  function speak(): void {
    spokenAt = performance.now();
    const { phase } = state;
    const isShown = phase === 'asking' || phase === 'done';
    show(status, isShown ? countLine(counted(state)) : '');
  }

  function setOrder(chosen: string): void {
    address = new URLSearchParams(address);
    address.set('order', chosen);
    history.replaceState(null, '', `/?${address}`);
    drawLine();
    void drawList();
  }

  main.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLElement>(
      '[data-again], [data-fresh], [data-more], [data-clear], a[data-day], a[data-order]',
    );
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const to = new URLSearchParams(link.getAttribute('href')?.split('?')[1]);
    const { order: chosen, more } = link.dataset;
    if (link.dataset['clear'] !== undefined) filters.clear();
    else if (chosen !== undefined) setOrder(chosen);
    else if (link.dataset['fresh'] !== undefined) void search(asked.url, { fresh: true });
    else if (more !== undefined) void search(to, { more: more as Direction });
    else if (link.dataset['again'] !== undefined) {
      // No carrier may be asked yet: the count on the link has the time.
      if (link.ariaDisabled !== 'true') askAgain();
    } else page.goTo(to);
  });
  elementOf(main, '#order').addEventListener('change', ({ target }) =>
    setOrder((target as HTMLSelectElement).value),
  );
  elementOf(main, 'form.order').addEventListener('submit', (event) => event.preventDefault());
  main.addEventListener('keydown', ({ key }) => {
    const details = elementOf<HTMLDetailsElement>(main, '#asked');
    if (key === 'Escape') details.open = false;
  });

  function askAgain(): void {
    const missing = toAskAgain(state.carriers, Date.now());
    // Two tickets may be of a carrier that answered and one that did not: both are asked.
    const isWhole = asked.url.has('split');
    const isSome = !isWhole && missing.length > 0 && missing.length < state.carriers.length;
    void search(asked.url, { again: isSome ? missing : undefined, more: asked.more });
  }

  return {
    ask(parameters) {
      address = parameters;
      void search(parameters);
    },
    leave: () => leaving.abort(),
  };
}

/** Scrolls the days so that the one that was asked for is in the middle, where they do not fit. */
function centre(days: HTMLElement): void {
  const [row, day] = ['ol', '[aria-current]'].map((one) => days.querySelector<HTMLElement>(one));
  if (row && day)
    row.scrollLeft = day.offsetLeft - row.offsetLeft - (row.clientWidth - day.offsetWidth) / 2;
}
