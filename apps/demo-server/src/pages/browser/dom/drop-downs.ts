/**
 * Makes each `details.drop` of the document close when Escape is pressed in it, which gives the focus back, and when somebody clicks or goes
 * elsewhere. A handler that has dealt with an Escape prevents its default.
 */
export function closeDropDowns(): void {
  const opened = (): HTMLDetailsElement[] => [
    ...document.querySelectorAll<HTMLDetailsElement>('details.drop[open]'),
  ];
  for (const event of ['pointerdown', 'focusin']) {
    document.addEventListener(event, ({ target }) => {
      for (const one of opened()) {
        // What lies over the rest of the page is part of an open one.
        const isBehind = (target as Element).className === 'fold';
        if (isBehind || !one.contains(target as Node)) one.open = false;
      }
    });
  }
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    // The innermost comes last.
    const last = opened().findLast((one) => one.contains(event.target as Node));
    if (last !== undefined) closeDropDown(last);
  });
}

/** Closes one, and gives the focus back to what opens it. */
export function closeDropDown(one: HTMLDetailsElement): void {
  one.open = false;
  one.querySelector('summary')?.focus();
}
