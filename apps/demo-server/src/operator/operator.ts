import { createCoalescer } from '@ticketing/batching';
import { operatorView } from '../figures/operator-view.ts';
import type { ProcessStatus } from '../figures/process-status.ts';
import type { OperatorView, UpstreamView } from '../figures/view-schema.ts';
import type { Flags } from '../flags/flag-specs.ts';
import { mergeEvents } from './event-log.ts';
import { createSomeLoad, type LoadOrder } from './some-load.ts';

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
  /** Returns the server as it was at most half a second ago. Whoever asks meanwhile gets the same. */
  view(): Promise<OperatorView>;
  /** Carries out a command. What cannot be done is a refusal, never a rejection. */
  control(command: Command): Promise<Outcome>;
  close(): Promise<void>;
}

interface OperatorContext {
  readonly flags: Flags;
  readonly carriersUrl: string;
  /** When the server was started, in epoch ms. */
  readonly startedAt: number;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log: (line: string) => void;
  /** Pids of the hosts that this server has started. */
  ownHosts(): readonly number[];
}

interface OperatorDependencies {
  processes(): Promise<readonly ProcessStatus[]>;
  /** Replaces the workers one by one. */
  reload(): Promise<void>;
  /** Where the server listens. */
  url(): string;
}

const TTL_MS = 500;
const UPSTREAM_MS = 1000;

/** Creates what shows and controls a server. Asks its processes nothing until somebody looks. */
export function createOperator(
  { flags, carriersUrl, startedAt, now, log, ownHosts }: OperatorContext,
  { processes, reload, url }: OperatorDependencies,
): Operator {
  const load = createSomeLoad();
  const isSimulated = flags.carriersUrl === undefined;
  const views = createCoalescer<'view', OperatorView>(look, { name: 'overview', ttlMs: TTL_MS });
  let isReloading = false;

  async function look(): Promise<OperatorView> {
    const [all, upstream] = await Promise.all([
      processes(),
      isSimulated ? upstreamAt(carriersUrl).catch(() => undefined) : undefined,
    ]);
    const events = mergeEvents(all.map(({ id, events: own = [] }) => ({ id, events: own })));
    const at = Math.round(now());
    const context = { at, startedAt, flags, upstream, load: load.state(), events };
    return operatorView(all, { ...context, ownHosts: ownHosts() });
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
      if (answer.ok) return { value: body };
      return refused(answer.status === 404 ? 404 : 400, body.message ?? 'The plan is refused');
    } catch (error) {
      return refused(502, `The simulator does not answer: ${(error as Error).message}`);
    }
  }

  async function kill(id: string): Promise<Outcome> {
    const { processes: rows } = await look();
    const row = rows.find((one) => one.id === id);
    if (row === undefined) {
      const known = rows.map((one) => one.id).join(', ');
      return refused(404, `No process ${id.slice(0, 100)}; there are ${known}`);
    }
    const isOnly = row.kind === 'server' && flags.accept === 'single';
    if (row.kind === 'primary' || isOnly) {
      return refused(409, `${id} is the process that serves: nothing would replace it`);
    }
    if (row.isElsewhere) {
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
    return { value: { id, pid: row.pid } };
  }

  function replaceAll(): Outcome {
    if (isReloading) return refused(409, 'Workers are being replaced already');
    isReloading = true;
    void reload()
      .catch((error: Error) => log(`Cannot reload: ${error.message}`))
      .finally(() => {
        isReloading = false;
      });
    return { value: { state: 'begun' } };
  }

  return {
    view: () => views.get('view'),
    async control(command) {
      switch (command.kind) {
        case 'plan':
          return plan(command.carrier, command.patch);
        case 'kill':
          return kill(command.id);
        case 'reload':
          return replaceAll();
        case 'load':
          return load.start(url(), command.order)
            ? { value: load.state() }
            : refused(409, 'A load runs already: one at a time');
      }
    },
    async close() {
      load.close();
      await views.close();
    },
  };
}

function refused(status: 400 | 404 | 409 | 502, detail: string): Outcome {
  return { refusal: { status, detail } };
}

/** What the simulator was asked, and the plan of each carrier. */
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
