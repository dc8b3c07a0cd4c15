import { carrierKinds } from '../carriers/carriers.ts';
import type { NewEvent } from '../figures/operator-event.ts';
import { operatorView } from '../figures/operator-view.ts';
import { processSources } from '../figures/process-sources.ts';
import type { ProcessStatus } from '../figures/process-status.ts';
import type { History } from '../figures/trend-schemas.ts';
import type { OperatorView, UpstreamView } from '../figures/view-schema.ts';
import type { Flags } from '../flags/flag-specs.ts';
import { createJournal } from './journal.ts';
import { type FaultsInForce, planEvents } from './plan-events.ts';
import { createSomeLoad, type LoadOrder, type LoadState } from './some-load.ts';
import { createWatch } from './watch.ts';

/** Command of an operator. */
export type Command =
  | { readonly kind: 'plan'; readonly carrier: string; readonly patch: unknown }
  | { readonly kind: 'load'; readonly order: LoadOrder }
  /** `id`: of a process of the view. */
  | { readonly kind: 'kill'; readonly id: string }
  | { readonly kind: 'reload' };

/** Outcome of a command. Plain data, because it crosses processes. */
export type Outcome =
  | { readonly value: unknown }
  | { readonly refusal: { readonly status: 400 | 404 | 409 | 502; readonly detail: string } };

/** Shows and controls the whole server: in the primary, or in the only process. */
export interface Operator {
  /** Returns the server as it was at most a second ago. Whoever asks meanwhile gets the same. */
  view(): Promise<OperatorView>;
  /** Returns the first view after one of time `after`, which comes within a second; `undefined` once the server stops. */
  next(after: number): Promise<OperatorView | undefined>;
  /** Returns the lines of the charts of the last two minutes. */
  history(): Promise<History>;
  /** Carries out a command. What cannot be done is a refusal, never a rejection. */
  control(command: Command): Promise<Outcome>;
  /** Replaces the workers and the hosts of this server one by one, and notes it. Rejects if their successors do not start. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

interface OperatorContext {
  readonly flags: Flags;
  readonly carriersUrl: string;
  /** Start of the server in epoch ms. */
  readonly startedAt: number;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log: (line: string) => void;
  /** Pids of the hosts that this server has started. */
  ownHosts(): readonly number[];
  /** Replaces the hosts that the server has started one by one. */
  reloadHosts(): Promise<void>;
}

interface OperatorDependencies {
  processes(): Promise<readonly ProcessStatus[]>;
  /** Replaces the workers one by one. */
  reload(): Promise<void>;
  /** Returns the address of the server. */
  url(): string;
}

const UPSTREAM_MS = 1000;

/** Creates what shows and controls a server. With `--operator off` it asks the processes nothing by itself. */
export function createOperator(
  { flags, carriersUrl, startedAt, now, log, ownHosts, reloadHosts }: OperatorContext,
  { processes, reload, url }: OperatorDependencies,
): Operator {
  const load = createSomeLoad();
  const isSimulated = flags.carriersUrl === undefined;
  const journal = createJournal();
  const faults: FaultsInForce = new Map();
  const isOn = flags.operator !== 'off';
  const watch = createWatch({ look, journal, isOn });
  let isReloading = false;

  async function look(isWatched: boolean) {
    const [all, upstream] = await Promise.all([
      processes(),
      isSimulated && isWatched ? upstreamAt(carriersUrl).catch(() => undefined) : undefined,
    ]);
    const reports = all.map(({ id, pid, events = [] }) => ({ id, pid, events }));
    const at = Math.round(now());
    const context = { at, startedAt, flags, upstream, load: load.state() };
    return { view: operatorView(all, { ...context, ownHosts: ownHosts() }), reports };
  }

  function note(event: Omit<NewEvent, 'at' | 'process'> & Partial<NewEvent>): void {
    journal.add({ at: Math.round(now()), process: '', ...event });
  }

  async function plan(carrier: string, patch: unknown): Promise<Outcome> {
    if (!isSimulated) {
      return refused(409, 'Carriers of --carriers-url have no plan: only the embedded simulator');
    }
    try {
      const answer = await fetch(`${carriersUrl}/plan/${encodeURIComponent(carrier)}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify(patch),
        signal: AbortSignal.timeout(UPSTREAM_MS),
      });
      const body = (await answer.json()) as { readonly message?: string };
      if (answer.ok) {
        const title = carrierKinds[carrier as keyof typeof carrierKinds]?.title ?? carrier;
        const change = { carrier, title, patch, at: Math.round(now()) };
        for (const event of planEvents(change, faults)) journal.add(event);
        return { value: body };
      }
      return refused(answer.status === 404 ? 404 : 400, body.message ?? 'The plan is refused');
    } catch (error) {
      return refused(502, `The simulator does not answer: ${(error as Error).message}`);
    }
  }

  async function kill(id: string): Promise<Outcome> {
    const rows = processSources(await processes(), { at: now(), ownHosts: ownHosts() });
    const row = rows.find((one) => one.id === id);
    if (row === undefined) {
      const known = rows.map((one) => one.id).join(', ');
      return refused(404, `No process ${id.slice(0, 100)}; there are ${known}`);
    }
    const isOnly = row.kind === 'server' && flags.accept === 'single';
    if (row.kind === 'primary' || isOnly) {
      return refused(409, `${id} is the process that serves: nothing would replace it`);
    }
    if ('isElsewhere' in row && row.isElsewhere) {
      return refused(409, `${id} was not started by this server: it may be on another machine`);
    }
    if (row.kind === 'thread') {
      return refused(409, `${id} is a thread, which no signal can end`);
    }
    try {
      process.kill(row.pid, 'SIGKILL');
    } catch {
      return refused(409, `${id} has just ended`);
    }
    journal.expectEnd(row.pid);
    const detail = ['by hand', ...fateOf(row)].join(', ');
    note({ kind: 'killed', severity: 'bad', process: id, text: `${id} killed`, detail });
    return { value: { id, pid: row.pid } };
  }

  function replaceAll(): Outcome {
    if (isReloading) return refused(409, 'Workers are being replaced already');
    isReloading = true;
    void noteReload()
      .catch((error) => log(`Cannot reload: ${(error as Error).message}`))
      .finally(() => {
        isReloading = false;
      });
    return { value: { state: 'begun' } };
  }

  async function noteReload(): Promise<void> {
    note({ kind: 'reload-started', severity: 'note', text: 'Replacing all workers' });
    const begunAt = performance.now();
    try {
      await reload();
      await reloadHosts();
    } catch (error) {
      const { message: detail } = error as Error;
      const text = 'Workers could not be replaced';
      note({ kind: 'reload-ended', severity: 'bad', text, detail });
      throw error;
    }
    const elapsedMs = performance.now() - begunAt;
    const replaced = isOn ? [`${await countYoung(begunAt)} in `] : [];
    const detail = `${replaced}${(elapsedMs / 1000).toFixed(1)} s`;
    note({ kind: 'reload-ended', severity: 'note', text: 'All workers replaced', detail });
  }

  /** Counts the processes of this server that have started since. */
  async function countYoung(sinceMs: number): Promise<number> {
    const { view } = await look(false);
    const mostMs = performance.now() - sinceMs;
    return view.processes.filter(
      ({ kind, ageMs, isElsewhere }) => kind !== 'primary' && !isElsewhere && ageMs <= mostMs,
    ).length;
  }

  function startLoad(order: LoadOrder): Outcome {
    if (!load.start(url(), order, noteLoadEnd)) {
      return refused(409, 'A load runs already: one at a time');
    }
    const detail = `${order.perSecond}/s for ${order.seconds} s, ${order.path.slice(0, 100)}`;
    note({ kind: 'load-started', severity: 'note', text: 'Load started', detail });
    return { value: load.state() };
  }

  function noteLoadEnd({ answers }: LoadState): void {
    const detail = Object.entries(answers).map(
      ([status, times]) => `${times} × ${status === '0' ? 'no answer' : `HTTP ${status}`}`,
    );
    const text = 'Load ended';
    note({ kind: 'load-ended', severity: 'note', text, detail: detail.join(', ') });
  }

  return {
    view: watch.view,
    next: watch.next,
    history: async () => watch.history(),
    async control(command) {
      switch (command.kind) {
        case 'plan':
          return plan(command.carrier, command.patch);
        case 'kill':
          return kill(command.id);
        case 'reload':
          return replaceAll();
        case 'load':
          return startLoad(command.order);
      }
    },
    reload: noteReload,
    async close() {
      load.close();
      await watch.close();
    },
  };
}

/** Returns what becomes of the work of a process that is killed. */
function fateOf({
  kind,
  inFlight = 0,
}: {
  readonly kind: string;
  readonly inFlight?: number | undefined;
}): string[] {
  if (inFlight === 0) return [];
  // Calls of tasks only read: they run again.
  if (kind === 'task')
    return [inFlight === 1 ? '1 call is retried' : `${inFlight} calls are retried`];
  return [`${inFlight} ${inFlight === 1 ? 'request' : 'requests'} in flight`];
}

function refused(status: 400 | 404 | 409 | 502, detail: string): Outcome {
  return { refusal: { status, detail } };
}

/** Returns the calls that the simulator got, and the plan of each carrier. */
async function upstreamAt(carriersUrl: string): Promise<UpstreamView[]> {
  const ask = async (path: string) => {
    const signal = AbortSignal.timeout(UPSTREAM_MS);
    const answer = await fetch(carriersUrl + path, { signal, headers: { connection: 'close' } });
    return (await answer.json()) as Record<string, Omit<UpstreamView, 'id' | 'plan'>>;
  };
  const [requests, plans] = await Promise.all([ask('/requests'), ask('/plan')]);
  return Object.entries(requests).map(([id, { arrived, answered, aborted, open }]) => ({
    id,
    arrived,
    answered,
    aborted,
    open,
    plan: plans[id],
  }));
}
