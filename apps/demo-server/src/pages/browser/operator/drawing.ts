import type { Shape } from '../../picture/shape.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** A shape, and the element that shows it. */
interface Drawn {
  readonly shape: Shape;
  readonly element: Element;
  readonly inside: readonly Drawn[];
}

/** Returns a function that shows shapes in an SVG element: each is built once, and then only what differs is changed. */
export function createDrawing(host: Element): (shapes: readonly Shape[]) => void {
  let drawn: readonly Drawn[] | undefined;
  return (shapes) => {
    // The server has drawn the same, whose elements are not known here.
    if (drawn === undefined) host.replaceChildren();
    drawn = drawAll(host, drawn ?? [], shapes);
  };
}

function drawAll(parent: Element, before: readonly Drawn[], shapes: readonly Shape[]): Drawn[] {
  if (shapes.length === before.length && shapes.every((one, at) => isLike(before[at], one))) {
    return before.map((old, at) => change(old, shapes[at] ?? old.shape));
  }
  const known = new Map(before.map((each) => [each.shape.key, each]));
  const now = shapes.map((shape) => {
    const old = known.get(shape.key);
    if (old === undefined || !isLike(old, shape)) return build(shape);
    known.delete(shape.key);
    return change(old, shape);
  });
  for (const { element } of known.values()) element.remove();
  for (const [at, { element }] of now.entries()) {
    if (parent.children[at] !== element) parent.insertBefore(element, parent.children[at] ?? null);
  }
  return now;
}

function isLike(old: Drawn | undefined, { tag, key }: Shape): boolean {
  return old?.shape.key === key && old.shape.tag === tag;
}

function build(shape: Shape): Drawn {
  const element = document.createElementNS(SVG, shape.tag);
  for (const [name, value] of Object.entries(shape.attributes)) {
    element.setAttribute(name, String(value));
  }
  const { inside } = shape;
  if (typeof inside !== 'string') return { shape, element, inside: drawAll(element, [], inside) };
  if (inside !== '') element.textContent = inside;
  return { shape, element, inside: [] };
}

function change(old: Drawn, shape: Shape): Drawn {
  const { element } = old;
  const [before, after] = [old.shape.attributes, shape.attributes];
  for (const name in after) {
    if (before[name] !== after[name]) element.setAttribute(name, String(after[name]));
  }
  for (const name in before) if (!(name in after)) element.removeAttribute(name);
  const { inside } = shape;
  if (typeof inside !== 'string') {
    return { shape, element, inside: drawAll(element, old.inside, inside) };
  }
  const text = element.firstChild;
  if (inside !== old.shape.inside) {
    // Cheaper than a new text.
    if (text instanceof Text) text.data = inside;
    else element.textContent = inside;
  }
  return { shape, element, inside: [] };
}
