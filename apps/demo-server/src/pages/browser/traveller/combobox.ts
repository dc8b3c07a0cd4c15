import { fold } from '../../../search/fold.ts';
import { type Choice, matches, suggestedOf } from '../../form/match-stations.ts';
import { inCities, type Suggested, shownText, suggestionItems } from '../../form/suggestions.ts';
import { html } from '../../frame/html.ts';
import { show } from '../dom/show.ts';

const MOST = 8;
/** Stations of a city come below it: a few more than single ones. */
const ASKED = 10;

/** An input with suggestions. */
export interface Combobox {
  /** Returns the text that a search takes: an id where the name that is shown is one of several places. */
  meaning(): string;
  /** Shows a place. */
  set(meaning: string, shown: string): void;
}

/**
 * Makes an input with a `<datalist>` an editable combobox with a list (ARIA Authoring Practices): Down and Up move,
 * Home and End go to the ends, Enter and Tab take the active option, Escape closes, then clears. Stations of the `<datalist>` are
 * there at once; the server's suggestions, which know typing errors and other languages, replace them unless an option is active.
 * `onTake` is called with each place that is taken.
 */
export function enhanceCombobox(
  input: HTMLInputElement,
  onTake: (meaning: string, shown: string) => void,
): Combobox {
  const choices = choicesOf(input.list);
  input.removeAttribute('list');
  const list = document.createElement('ul');
  list.id = `${input.id}-options`;
  list.className = 'pop suggest';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Places');
  list.hidden = true;
  (input.closest('label') ?? input).after(list);
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': list.id,
  })) {
    input.setAttribute(name, value);
  }
  let active = -1;
  let leaving = new AbortController();
  let shown: readonly Suggested[] = [];
  let chosen = { meaning: '', text: '' };

  const options = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[data-index]')];

  function open(): void {
    leaving.abort();
    leaving = new AbortController();
    const text = input.value.trim();
    if (text === '') {
      close();
      return;
    }
    const found = suggestedOf(matches(choices, text), text);
    draw(found, 'Looking for stations');
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    void suggest(text, found, leaving.signal);
  }

  async function suggest(
    text: string,
    found: readonly Suggested[],
    signal: AbortSignal,
  ): Promise<void> {
    list.setAttribute('aria-busy', 'true');
    const suggested = await suggestions(text, signal);
    if (signal.aborted) return;
    list.removeAttribute('aria-busy');
    if (active < 0) draw(suggested.length === 0 ? found : suggested, 'No station of that name');
  }

  function draw(found: readonly Suggested[], none: string): void {
    shown = inCities(found).slice(0, MOST);
    show(
      list,
      shown.length === 0
        ? html`<li role="option" aria-disabled="true">${none}</li>`
        : suggestionItems(list.id, shown),
    );
    activate(-1);
  }

  function close(): void {
    leaving.abort();
    list.removeAttribute('aria-busy');
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    activate(-1);
  }

  function activate(index: number): void {
    active = index;
    for (const [place, option] of options().entries()) {
      option.setAttribute('aria-selected', String(place === index));
      if (place === index) option.scrollIntoView({ block: 'nearest' });
    }
    const id = index < 0 ? undefined : options()[index]?.id;
    if (id === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', id);
  }

  /** Takes the active option, and returns whether there was one. */
  function take(): boolean {
    const place = list.hidden ? undefined : shown[active];
    if (place === undefined) return false;
    const text = shownText(place);
    chosen = { meaning: place.searchName, text };
    onTake(place.searchName, text);
    input.value = text;
    input.dispatchEvent(new Event('change', { bubbles: true }));
    close();
    return true;
  }

  function move(step: number): void {
    if (list.hidden) open();
    const { length } = options();
    if (length === 0) return;
    if (active < 0) activate(step > 0 ? 0 : length - 1);
    else activate((active + step + length) % length);
  }

  input.addEventListener('input', open);
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    const isOpen = !list.hidden;
    switch (event.key) {
      case 'ArrowDown':
        move(1);
        break;
      case 'ArrowUp':
        move(-1);
        break;
      case 'Home':
        if (!isOpen || active < 0) return;
        activate(0);
        break;
      case 'End':
        if (!isOpen || active < 0) return;
        activate(options().length - 1);
        break;
      case 'Enter':
        if (!take()) return;
        break;
      case 'Tab':
        take();
        return;
      case 'Escape':
        // Empty and closed: whatever is around may close.
        if (isOpen) close();
        else if (input.value === '') return;
        else input.value = '';
        break;
      default:
        return;
    }
    event.preventDefault();
  });
  // Before the blur that a click would cause.
  list.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    const option = (event.target as Element).closest<HTMLElement>('[data-index]');
    if (option === null) return;
    activate(options().indexOf(option));
    take();
  });

  return {
    meaning: () => (input.value === chosen.text ? chosen.meaning : input.value.trim()),
    set(meaning, text) {
      chosen = { meaning, text };
      input.value = text;
    },
  };
}

/** Returns what the server suggests; nothing if it does not answer. */
async function suggestions(text: string, signal: AbortSignal): Promise<readonly Suggested[]> {
  const query = new URLSearchParams({ text: text.slice(0, 100), limit: `${ASKED}` });
  try {
    const response = await fetch(`/stations?${query}`, { signal });
    if (!response.ok) return [];
    const { stations } = (await response.json()) as { stations: readonly Suggested[] };
    return stations;
  } catch {
    return [];
  }
}

function choicesOf(list: HTMLElement | null): Choice[] {
  return [...(list?.querySelectorAll('option') ?? [])].map((option) => ({
    name: option.value,
    folded: fold(option.value),
    of: option.getAttribute('label') ?? undefined,
    kind: option.dataset['id']?.startsWith('city:') ? 'city' : 'station',
  }));
}
