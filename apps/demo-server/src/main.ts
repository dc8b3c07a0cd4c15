import type { Flags } from './flags/flag-specs.ts';
import { FlagError } from './flags/flag-values.ts';
import { type FlagRow, readFlags } from './flags/read-flags.ts';
import { dispatchKind } from './search/dispatch.ts';
import { serve } from './serving/serve.ts';
import type { Serving } from './serving/serving.ts';
import { fillReport } from './worms/worm-databases.ts';

const STOP_MARGIN_MS = 5000;

const stopping = stopSignal();
const reloads = reloadSignals();
try {
  const { flags, rows } = readFlags(process.argv.slice(2), process.env);
  const server = await serve(flags, {
    log: (line) => console.error(line),
    onFilled: fillReport(process.stderr),
    signal: stopping,
  });
  console.log(table(rows));
  console.log(`\nprocesses  ${processesOf(flags)}`);
  console.log(`carriers   ${server.carriersUrl}`);
  console.log(`listening  ${server.url}/search?origin=Madrid&destination=Barcelona`);
  closeAtStop({ close: server.close, graceMs: flags.deadlineMs + STOP_MARGIN_MS });
  reloads.pass(server.reload);
} catch (error) {
  if (error !== stopping.reason) {
    console.error(lineOf(error));
    process.exitCode = error instanceof FlagError || 'syscall' in Object(error) ? 2 : 1;
  }
}

/**
 * Aborts at the first SIGTERM or SIGINT, also while the server starts. Later ones change nothing, since a terminal and npm
 * each send one for a single Ctrl-C.
 */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => controller.abort());
  return controller.signal;
}

/** When all is closed the process ends by itself with 0. */
function closeAtStop({
  close,
  graceMs,
}: {
  readonly close: () => Promise<void>;
  readonly graceMs: number;
}): void {
  const stop = (): void => {
    const timer = setTimeout(() => {
      console.error(`Cannot stop: the server did not close within ${graceMs} ms`);
      process.exit(1);
    }, graceMs);
    timer.unref();
    void close();
  };
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', stop, { once: true });
}

/**
 * Passes each SIGHUP to `reload`, which replaces workers one by one, or none if their successors do not start. One that
 * comes while the server starts, as `/readyz` of the first worker may cause, is passed once it serves.
 */
function reloadSignals(): { pass(reload: Serving['reload']): void } {
  let isPending = false;
  let run = (): void => {
    isPending = true;
  };
  process.on('SIGHUP', () => run());
  return {
    pass(reload) {
      run = () => {
        if (stopping.aborted) return;
        reload().catch((error) => console.error(`Cannot reload: ${lineOf(error)}`));
      };
      if (isPending) run();
    },
  };
}

function processesOf({ accept, workers, dispatch, dispatchWorkers }: Flags): string {
  const serving = accept === 'single' ? '1 that serves' : `1 primary, ${workers} that serve`;
  const { workers: kind, inServers } = dispatchKind(dispatch);
  if (kind === undefined || (inServers && accept !== 'single')) return serving;
  return `${serving}, ${workers} x ${dispatchWorkers} ${kind} for tasks`;
}

function table(rows: readonly FlagRow[]): string {
  const widest = (key: keyof FlagRow): number => Math.max(...rows.map((row) => row[key].length));
  const [flag, value] = [widest('flag'), widest('value')];
  return rows
    .map((row) => `${row.flag.padEnd(flag)}  ${row.value.padEnd(value)}  ${row.from}`)
    .join('\n');
}

function lineOf(error: unknown): string {
  if (error instanceof FlagError) return error.message;
  if ('syscall' in Object(error)) {
    return `Cannot start: ${(error as Error).message}; choose another --host or --port`;
  }
  return String((error as Error).stack ?? error);
}
