import type { SafeHtml } from '../../frame/html.ts';
import { countText } from '../../journey/display-texts.ts';
import { chosenCount, type Filter, NO_FILTER } from '../../results/journey-filter.ts';
import { elementOf } from '../dom/element-of.ts';
import { show, showAnew } from '../dom/show.ts';

/** Widths from which the filters are a column. */
const WIDE = '(min-width: 68.7em)';

/** The filters of the list, in a column or in a sheet. */
export interface Filters {
  read(): Filter;
  clear(): void;
  /** Draws the choices, and how many journeys they let through. */
  draw(panel: SafeHtml, shown: number): void;
}

/** Starts the filters of a page. `onChange` is called after each choice. */
export function createFilters(root: ParentNode, onChange: () => void): Filters {
  const form = elementOf<HTMLFormElement>(root, '#filters');
  const sheet = elementOf<HTMLDialogElement>(root, '#sheet');
  const button = elementOf(root, '#filter-button');
  const column = form.parentElement as HTMLElement;

  button.addEventListener('click', () => {
    elementOf(sheet, '#sheet-body').append(form);
    sheet.showModal();
  });
  sheet.addEventListener('close', () => column.append(form));
  sheet.addEventListener('click', ({ target }) => {
    // Outside of what it contains: on the page behind it.
    if (target === sheet) sheet.close();
  });
  matchMedia(WIDE).addEventListener('change', () => sheet.close());
  form.addEventListener('input', onChange);
  form.addEventListener('submit', (event) => event.preventDefault());

  const read = (): Filter => {
    const data = new FormData(form);
    const chosen = (name: keyof Filter) => new Set(data.getAll(name).map(String));
    return Object.fromEntries(
      Object.keys(NO_FILTER).map((name) => [name, chosen(name as keyof Filter)]),
    ) as unknown as Filter;
  };
  return {
    read,
    clear() {
      for (const box of form.querySelectorAll('input')) box.checked = false;
      onChange();
    },
    draw(panel, shown) {
      const chosen = chosenCount(read());
      showAnew(form, panel);
      show(elementOf(button, 'span'), `Filters${chosen > 0 ? ` ${chosen}` : ''}`);
      show(elementOf(sheet, '#sheet-show'), `Show ${countText(shown, 'train')}`);
    },
  };
}
