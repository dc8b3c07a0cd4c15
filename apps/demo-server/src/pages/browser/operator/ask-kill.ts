import type { Actions } from './operator-controls.ts';

/** The question before a process is killed, in a row of its table. */
export interface KillQuestion {
  /** Id of the process that is asked for. */
  readonly asked: string | undefined;
  /** Keeps the focus where it was asked, also if the row of the question has gone with its process. */
  settle(): void;
}

/** Wires the buttons of a table. `redraw` shows the question or takes it away; `tell` shows what became of it. */
export function wireKillQuestion(
  table: HTMLElement,
  { kill, redraw, tell }: Pick<Actions, 'kill'> & { redraw(): void; tell(text: string): void },
): KillQuestion {
  let asked: string | undefined;

  function ask(id: string | undefined): void {
    const before = asked;
    asked = id;
    redraw();
    focus(id === undefined ? `[data-kill="${before}"]` : '[data-keep]');
  }

  function focus(selector: string): void {
    const place = table.querySelector<HTMLElement>(selector) ?? table.querySelector('.scroll');
    (place as HTMLElement | null)?.focus();
  }

  table.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('button');
    if (button === null) return;
    const { kill: id, confirm, keep } = button.dataset;
    if (id !== undefined) ask(id);
    if (confirm !== undefined || keep !== undefined) ask(undefined);
    if (confirm !== undefined) void kill(confirm).then(tell);
  });
  table.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && asked !== undefined) ask(undefined);
  });

  return {
    get asked() {
      return asked;
    },
    settle() {
      if (asked === undefined || table.querySelector('.ask') !== null) return;
      asked = undefined;
      if (document.activeElement === document.body) focus('.scroll');
    },
  };
}
