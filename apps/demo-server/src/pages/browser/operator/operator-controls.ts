/** Orders of an operator. Each resolves with its outcome in a sentence. */
export interface Actions {
  kill(id: string): Promise<string>;
  plan(carrier: string, patch: object): Promise<string>;
}

/** Creates the orders that a page gives. */
export function createActions(): Actions {
  return {
    kill: (id) =>
      ask('POST', `/operator/processes/${encodeURIComponent(id)}/kill`, {}, `${id} was killed`),
    plan: (carrier, patch) =>
      ask(
        'PUT',
        `/operator/carriers/${carrier}/plan`,
        patch,
        `The setting of ${carrier} is in force`,
      ),
  };
}

/** Wires the controls in their drawer. Each shows its outcome there. */
export function wireControls(panel: HTMLElement, actions: Actions): void {
  const said = panel.querySelector<HTMLElement>('.said');
  const tell = (text: string): void => {
    if (said !== null) said.textContent = text;
  };

  async function applyPlans(plans: Readonly<Record<string, object>>, done: string): Promise<void> {
    const all = await Promise.all(
      Object.entries(plans).map(([id, patch]) => actions.plan(id, patch)),
    );
    tell(all.find((text) => !text.endsWith('is in force')) ?? done);
  }

  panel.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('button');
    if (button === null) return;
    const { plans, preset } = button.dataset;
    if (plans !== undefined) {
      void applyPlans(JSON.parse(plans), `${button.textContent}: ${preset}`);
    }
    if (button.id === 'reload') askReload(true);
    if (button.id === 'reload-keep') askReload(false);
    if (button.id === 'reload-do') {
      askReload(false);
      void ask('POST', '/operator/reload', {}, 'Workers are being replaced').then(tell);
    }
  });
  panel.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || reload.question?.hidden !== false) return;
    // The drawer stays.
    event.preventDefault();
    askReload(false);
  });

  const reload = {
    button: panel.querySelector<HTMLElement>('#reload'),
    question: panel.querySelector<HTMLElement>('#reload-ask'),
    keep: panel.querySelector<HTMLElement>('#reload-keep'),
  };
  function askReload(isAsked: boolean): void {
    reload.question?.toggleAttribute('hidden', !isAsked);
    reload.button?.setAttribute('aria-expanded', String(isAsked));
    (isAsked ? reload.keep : reload.button)?.focus();
  }

  onSubmit('plan', (form) => {
    const milliseconds = String(form.get('ms'));
    const kind = String(form.get('kind'));
    const share = Number(form.get('percent')) / 100;
    const latency = milliseconds !== '' && { latency: { kind: 'fixed', ms: Number(milliseconds) } };
    const fault = kind === 'none' ? null : { kind, share };
    void actions.plan(String(form.get('carrier')), { ...latency, fault }).then(tell);
  });
  onSubmit('load', (form) => {
    const order = {
      path: form.get('path'),
      perSecond: Number(form.get('perSecond')),
      seconds: Number(form.get('seconds')),
    };
    const done = `${order.perSecond} requests per second are sent`;
    void ask('POST', '/operator/load', order, done).then(tell);
  });

  function onSubmit(id: string, then: (form: FormData) => void): void {
    panel.querySelector<HTMLFormElement>(`#${id}`)?.addEventListener('submit', (event) => {
      event.preventDefault();
      then(new FormData(event.currentTarget as HTMLFormElement));
    });
  }
}

async function ask(method: string, path: string, body: unknown, done: string): Promise<string> {
  try {
    const answer = await fetch(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.ok) return done;
    const { detail = '' } = (await answer.json()) as { readonly detail?: string };
    return `Refused: ${detail}`;
  } catch {
    return 'The server did not answer';
  }
}
