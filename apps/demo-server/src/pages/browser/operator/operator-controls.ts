import { show } from '../dom/show.ts';

/** Wires the controls of the page. Each says what became of it. */
export function wireControls(page: HTMLElement, said: HTMLElement): void {
  /** Resolves with whether the server did it. */
  async function ask(method: string, path: string, body: unknown, done: string): Promise<boolean> {
    try {
      const answer = await fetch(path, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const { detail = '' } = (await answer.json()) as { readonly detail?: string };
      show(said, answer.ok ? done : `Refused: ${detail}`);
      return answer.ok;
    } catch {
      show(said, 'The server did not answer');
      return false;
    }
  }

  async function applyPlans(plans: Readonly<Record<string, unknown>>, done: string): Promise<void> {
    for (const [carrier, patch] of Object.entries(plans)) {
      if (!(await ask('PUT', `/operator/carriers/${carrier}/plan`, patch, done))) return;
    }
  }

  page.addEventListener('click', (event) => {
    const button = (event.target as Element).closest('button');
    if (button === null) return;
    const { plans, kill } = button.dataset;
    if (plans !== undefined) void applyPlans(JSON.parse(plans), `${button.textContent}: in force`);
    if (kill !== undefined) {
      const path = `/operator/processes/${encodeURIComponent(kill)}/kill`;
      void ask('POST', path, {}, `${kill} was killed`);
    }
    if (button.id === 'reload') {
      void ask('POST', '/operator/reload', {}, 'Workers are being replaced');
    }
  });

  onSubmit('plan', (form) => {
    const milliseconds = String(form.get('ms'));
    const kind = String(form.get('kind'));
    const share = Number(form.get('percent')) / 100;
    const patch = {
      ...(milliseconds !== '' && { latency: { kind: 'fixed', ms: Number(milliseconds) } }),
      fault: kind === 'none' ? null : { kind, share },
    };
    const carrier = String(form.get('carrier'));
    void applyPlans({ [carrier]: patch }, `The plan of ${carrier} is in force`);
  });
  onSubmit('load', (form) => {
    const order = {
      path: form.get('path'),
      perSecond: Number(form.get('perSecond')),
      seconds: Number(form.get('seconds')),
    };
    void ask('POST', '/operator/load', order, `${order.perSecond} requests per second are sent`);
  });

  function onSubmit(id: string, then: (form: FormData) => void): void {
    page.querySelector<HTMLFormElement>(`#${id}`)?.addEventListener('submit', (event) => {
      event.preventDefault();
      then(new FormData(event.currentTarget as HTMLFormElement));
    });
  }
}
