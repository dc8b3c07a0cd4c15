import { html, SafeHtml } from '../frame/html.ts';

/** An element of a drawing: the browser builds it once, and then changes what differs. */
export interface Shape {
  readonly tag: string;
  /** Key among the siblings: an element that takes the place of another has the same key. */
  readonly key: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Text or shapes in the shape. */
  readonly inside: string | readonly Shape[];
}

/** Makes a shape. */
export function shape(
  tag: string,
  key: string,
  attributes: Shape['attributes'],
  inside: Shape['inside'] = '',
): Shape {
  return { tag, key, attributes, inside };
}

/** Renders shapes as markup. */
export function markupOf(shapes: readonly Shape[]): SafeHtml {
  return html`${shapes.map(({ tag, attributes, inside }) => {
    const [open, close] = [new SafeHtml(`<${tag}`), new SafeHtml(`</${tag}>`)];
    const all = Object.entries(attributes).map(
      ([name, value]) => html` ${new SafeHtml(name)}="${value}"`,
    );
    return html`${open}${all}>${typeof inside === 'string' ? inside : markupOf(inside)}${close}`;
  })}`;
}
