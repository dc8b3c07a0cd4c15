/** Markup whose values are escaped. Only {@link html} makes it. */
export class SafeHtml {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** A value in a template. `undefined`, `null` and `false` are nothing, an array is each of its values. */
export type HtmlValue =
  | SafeHtml
  | string
  | number
  | undefined
  | null
  | false
  | readonly HtmlValue[];

/**
 * Makes markup. Every value is escaped, as text and inside quoted attributes, unless it is markup itself.
 *
 * @example
 * html`<p title="${name}">${items.map((item) => html`<b>${item}</b>`)}</p>`
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): SafeHtml {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += markup(value) + (strings[index + 1] ?? '');
  return new SafeHtml(text);
}

function markup(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof SafeHtml) return value.toString();
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(markup).join('');
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
