import { fold } from '../../../search/fold.ts';
import { html } from '../../frame/html.ts';
import { type Choice, matches } from '../../match-stations.ts';
import { show } from '../dom/show.ts';

/** What the server suggests for a text. */
interface Suggestions {
  readonly stations: readonly {
    readonly id: string;
    readonly label: string;
    readonly alias?: string;
    readonly searchName: string;
  }[];
}

const MOST = 8;

/**
 * Makes an input with a `<datalist>` an editable combobox with a list (ARIA Authoring Practices): Down and Up move,
 * Home and End go to the ends, Enter and Tab take the active option, Escape closes, then clears. Stations of the `<datalist>` are
 * there at once; the server's suggestions, which know typing errors and other languages, replace them unless an option is active.
 */
export function enhanceCombobox(input: HTMLInputElement): void {
  const choices = choicesOf(input.list);
  input.removeAttribute('list');
  const list = document.createElement('ul');
  list.id = `${input.id}-options`;
  list.className = 'options';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', input.labels?.[0]?.textContent ?? '');
  list.hidden = true;
  input.after(list);
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

  const options = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[data-name]')];

  function open(): void {
    leaving.abort();
    leaving = new AbortController();
    const text = input.value.trim();
    const found = matches(choices, text);
    draw(found, 'Looking for stations');
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    void suggest(text, found, leaving.signal);
  }

  async function suggest(
    text: string,
    found: readonly Shown[],
    signal: AbortSignal,
  ): Promise<void> {
    list.setAttribute('aria-busy', 'true');
    const suggested = text === '' ? [] : await suggestions(text, signal);
    if (signal.aborted) return;
    list.removeAttribute('aria-busy');
    if (active < 0) draw(suggested.length === 0 ? found : suggested, 'No station of that name');
  }

  function draw(found: readonly Shown[], none: string): void {
    show(
      list,
      found.length === 0
        ? html`<li role="option" aria-disabled="true">${none}</li>`
        : html`${found.map(
            ({ name, of }, index) =>
              html`<li role="option" id="${list.id}-${index}" aria-selected="false" data-name="${name}">${name}${of !== undefined && html` <small>${of}</small>`}</li>`,
          )}`,
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

  /** Whether there was an active option. */
  function take(): boolean {
    const name = list.hidden ? undefined : options()[active]?.dataset['name'];
    if (name === undefined) return false;
    input.value = name;
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
        if (isOpen) close();
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
    const option = (event.target as Element).closest<HTMLElement>('[data-name]');
    if (option === null) return;
    activate(options().indexOf(option));
    take();
  });
}

/** An option of the list. */
type Shown = Pick<Choice, 'name' | 'of'>;

/** Returns what the server suggests; nothing if it does not answer. */
async function suggestions(text: string, signal: AbortSignal): Promise<Shown[]> {
  const query = new URLSearchParams({ text: text.slice(0, 100), limit: `${MOST}` });
  try {
    const response = await fetch(`/stations?${query}`, { signal });
    if (!response.ok) return [];
    const { stations } = (await response.json()) as Suggestions;
    return stations.map(({ id, label, alias, searchName }) => ({
      name: searchName,
      // An id stands for a name that others have too.
      of: searchName === id ? label : alias,
    }));
  } catch {
    return [];
  }
}

function choicesOf(list: HTMLElement | null): Choice[] {
  return [...(list?.querySelectorAll('option') ?? [])].map((option) => ({
    name: option.value,
    folded: fold(option.value),
    of: option.getAttribute('label') ?? undefined,
  }));
}
