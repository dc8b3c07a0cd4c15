import { html } from '../../frame/html.ts';
import { type DetailContext, detailTitle, partDetails } from '../../picture/part-details.ts';
import type { Part } from '../../picture/system/system-model.ts';
import { patch } from '../dom/patch.ts';
import { wireDrawer } from './drawer.ts';

/** Orders that the drawer of a part gives. Each resolves with its outcome in a sentence. */
export interface PartActions {
  kill(id: string): Promise<string>;
  plan(carrier: string, patch: object): Promise<string>;
}

type Shown = Omit<DetailContext, 'isAsking'> & { readonly parts: ReadonlyMap<string, Part> };

/** The drawer that one part of the picture opens. */
export interface PartDrawer {
  open(part: string): void;
  /** Shows the figures of the part that is open. */
  update(shown: Shown): void;
}

/** Wires the drawer. Killing asks first. */
export function createPartDrawer(dialog: HTMLDialogElement, actions: PartActions): PartDrawer {
  const [title, body] = [dialog.querySelector('h2'), dialog.querySelector('.drawer-body')];
  if (title === null || body === null) throw new Error('Cannot open parts: no drawer');
  const drawer = wireDrawer(dialog);
  let id: string | undefined;
  let latest: Shown | undefined;
  let isAsking = false;
  let said = '';

  function show(): void {
    const part = id === undefined ? undefined : latest?.parts.get(id);
    if (latest === undefined || !dialog.open || title === null || body === null) return;
    if (part === undefined) {
      patch(body, html`<p class="muted">It is no longer part of the system.</p>`);
      return;
    }
    if (title.textContent !== detailTitle(part)) title.textContent = detailTitle(part);
    const details = partDetails(part, { ...latest, isAsking });
    patch(body, html`${details}<p class="said" role="status">${said}</p>`);
  }

  function tell(text: string): void {
    said = text;
    show();
  }

  function ask(isNow: boolean): void {
    isAsking = isNow;
    show();
    dialog.querySelector<HTMLElement>(isNow ? '[data-keep]' : '[data-ask]')?.focus();
  }

  body.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('button');
    if (button === null || id === undefined) return;
    const { ask: asks, keep, confirm, plan } = button.dataset;
    if (asks !== undefined) ask(true);
    if (keep !== undefined) ask(false);
    if (confirm !== undefined) {
      ask(false);
      void actions.kill(confirm).then(tell);
    }
    const carrier = latest?.parts.get(id)?.row;
    if (plan !== undefined && carrier !== undefined) {
      void actions.plan(carrier, JSON.parse(plan)).then(tell);
    }
  });
  dialog.addEventListener('cancel', (event) => {
    if (!isAsking) return;
    // Escape answers the question; the drawer stays.
    event.preventDefault();
    ask(false);
  });

  return {
    open(part) {
      if (id !== part) [isAsking, said] = [false, ''];
      id = part;
      drawer.open();
      show();
    },
    update(shown) {
      latest = shown;
      show();
    },
  };
}
