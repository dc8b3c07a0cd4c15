/** A drawer of the page. While it is open, the rest of the page is inert. */
export interface Drawer {
  readonly isOpen: boolean;
  open(): void;
  close(): void;
}

/** Wires a drawer: Escape, its button, and a click beside it close it; focus returns to where it was opened. */
export function wireDrawer(dialog: HTMLDialogElement): Drawer {
  let opener: Element | null = null;
  dialog.addEventListener('click', (event) => {
    // What is beside the drawer is its backdrop, whose clicks are of the dialog itself.
    if (event.target !== dialog) return;
    const { left } = dialog.getBoundingClientRect();
    if (event.clientX < left) dialog.close();
  });
  dialog.addEventListener('close', () => {
    if (opener instanceof HTMLElement || opener instanceof SVGElement) opener.focus();
  });
  return {
    get isOpen() {
      return dialog.open;
    },
    open() {
      if (dialog.open) return;
      opener = document.activeElement;
      dialog.showModal();
      dialog.querySelector('h2')?.focus();
    },
    close: () => dialog.close(),
  };
}

/** Has every button of a page that names a drawer in `data-opens` open it. */
export function wireDrawers(page: HTMLElement): void {
  const drawers = new Map<string, Drawer>();
  page.addEventListener('click', ({ target }) => {
    const id = (target as Element).closest<HTMLElement>('[data-opens]')?.dataset['opens'];
    const dialog = id === undefined ? null : document.getElementById(id);
    if (id === undefined || !(dialog instanceof HTMLDialogElement)) return;
    const drawer = drawers.get(id) ?? wireDrawer(dialog);
    drawers.set(id, drawer);
    drawer.open();
  });
}
