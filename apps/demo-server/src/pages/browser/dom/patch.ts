import type { SafeHtml } from '../../frame/html.ts';
import { fragmentOf } from './show.ts';
import { readTags, type Tags } from './tags.ts';

const shown = new WeakMap<Element, Tags>();

/**
 * Makes the content of an element that of `markup`, and changes only what differs: focus, selection and a button under the pointer
 * stay. Children with a `data-key` are recognised wherever they are. Markup is parsed only if its tags are others than before.
 */
export function patch(element: Element, markup: SafeHtml): void {
  const text = markup.toString();
  const before = shown.get(element);
  if (before?.text === text) return;
  const after = before?.follow(text);
  if (after !== undefined) {
    shown.set(element, after);
    return;
  }
  patchChildren(element, fragmentOf(markup));
  shown.set(element, readTags(element, text));
}

function patchChildren(element: Element, wanted: ParentNode): void {
  const keyed = new Map(
    [...element.children].flatMap((child) => {
      const key = keyOf(child);
      return key === undefined ? [] : [[key, child] as const];
    }),
  );
  let place = element.firstChild;
  for (const node of [...wanted.childNodes]) {
    const key = keyOf(node);
    const known = key === undefined ? place : keyed.get(key);
    if (known === null || known === undefined || !isLike(known, node)) {
      element.insertBefore(node, place);
      continue;
    }
    if (known === place) place = place.nextSibling;
    else element.insertBefore(known, place);
    patchNode(known, node);
  }
  while (place !== null) {
    const next: ChildNode | null = place.nextSibling;
    place.remove();
    place = next;
  }
}

function isLike(known: Node, node: Node): boolean {
  return known.nodeName === node.nodeName && keyOf(known) === keyOf(node);
}

function keyOf(node: Node): string | undefined {
  return node instanceof Element ? (node.getAttribute('data-key') ?? undefined) : undefined;
}

function patchNode(known: Node, node: Node): void {
  // The platform compares faster than a walk does; most parts have not changed.
  if (known.isEqualNode(node)) return;
  if (!(known instanceof Element && node instanceof Element)) {
    if (known.nodeValue !== node.nodeValue) known.nodeValue = node.nodeValue;
    return;
  }
  for (const { name, value } of node.attributes) {
    if (known.getAttribute(name) !== value) known.setAttribute(name, value);
  }
  if (known.attributes.length > node.attributes.length) {
    for (const { name } of [...known.attributes]) {
      if (!node.hasAttribute(name)) known.removeAttribute(name);
    }
  }
  patchChildren(known, node);
}
