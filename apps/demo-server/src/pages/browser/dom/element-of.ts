/** Returns the element of the page that a script cannot do without. @throws Error if there is none */
export function elementOf<E extends HTMLElement>(root: ParentNode, selector: string): E {
  const found = root.querySelector<E>(selector);
  if (found === null) throw new Error(`Cannot start: no element ${selector}`);
  return found;
}
