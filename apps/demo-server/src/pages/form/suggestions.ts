import { type HtmlValue, html, type SafeHtml } from '../frame/html.ts';
import { icon } from '../frame/icons.ts';

/** A place that a text may mean, as `GET /stations?text=` has it. */
export interface Suggested {
  readonly kind: 'city' | 'station';
  readonly id: string;
  readonly name: string;
  readonly label: string;
  /** ISO 3166-1 alpha-2; empty if it is not known. */
  readonly country: string;
  readonly alias?: string;
  /** Ranges of the typed text, in `alias` if there is one, else in `name`. */
  readonly matched: readonly (readonly [start: number, end: number])[];
  /** The text that a search takes. */
  readonly searchName: string;
  /** Number of stations that a search for this city asks. */
  readonly stations?: number;
  /** The city in the same answer that a station is of. */
  readonly city?: string;
}

/** Returns suggestions in their order, each once, but stations directly after their city. */
export function inCities(found: readonly Suggested[]): Suggested[] {
  const byId = [...new Map(found.map((one) => [one.id, one])).values()];
  const cities = new Set(byId.filter(({ kind }) => kind === 'city').map(({ id }) => id));
  const isMember = ({ city }: Suggested): boolean => city !== undefined && cities.has(city);
  return byId
    .filter((one) => !isMember(one))
    .flatMap((one) => [one, ...byId.filter(({ city }) => city === one.id)]);
}

/** Returns the text that the field shows when a suggestion is taken. An id stands for a name that others have too. */
export function shownText({ id, label, searchName }: Suggested): string {
  return searchName === id ? label : searchName;
}

/** Renders suggestions as options of a list. */
export function suggestionItems(listId: string, found: readonly Suggested[]): SafeHtml {
  const [first] = found;
  return html`${found.map((one, index) => {
    const { kind, name, alias, matched, city, stations = 0, country } = one;
    const notes: HtmlValue[] = [
      alias !== undefined && marked(alias, matched),
      stations > 1 && `all ${stations} stations`,
      country !== first?.country && countryName(country),
    ].filter(Boolean);
    const isMember = found.some(({ id }) => id === city);
    return html`<li role="option" id="${listId}-${index}" aria-selected="false" data-index="${index}"${isMember && html` class="station"`}>${
      !isMember && icon(kind === 'city' ? 'city' : 'pin')
    }<span>${alias === undefined ? marked(name, matched) : name}</span>${
      notes.length > 0 && html`<small>${notes.map((note, at) => [at > 0 && ' · ', note])}</small>`
    }</li>`;
  })}`;
}

function marked(text: string, ranges: Suggested['matched']): SafeHtml {
  const parts: HtmlValue[] = [];
  let done = 0;
  for (const [start, end] of ranges) {
    if (start < done) continue;
    parts.push(text.slice(done, start), html`<mark>${text.slice(start, end)}</mark>`);
    done = end;
  }
  return html`${parts}${text.slice(done)}`;
}

const regions = new Intl.DisplayNames(['en'], { type: 'region' });

function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (regions.of(code) ?? code) : code;
}
