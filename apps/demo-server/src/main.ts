import type { Flags } from './flags/flag-specs.ts';
import { FlagError } from './flags/flag-values.ts';
import { type FlagRow, readFlags } from './flags/read-flags.ts';
import { dispatchKind } from './search/dispatch.ts';
import { serve } from './serving/serve.ts';
import type { Serving } from './serving/serving.ts';
import { fillReport } from './worms/worm-store.ts';

const STOP_MARGIN_MS = 5000;

const asked = stopAsked();
const reloads = reloadsAsked();
try {
  const { flags, rows } = readFlags(process.argv.slice(2), process.env);
  const server = await serve(flags, {
    log: (line) => console.error(line),
    onFilled: fillReport(process.stderr),
    signal: asked,
  });
  console.log(table(rows));
  console.log(`\nprocesses  ${processesOf(flags)}`);
  console.log(`carriers   ${server.carriersUrl}`);
  console.log(`listening  ${server.url}/search?origin=Madrid&destination=Barcelona`);
  stopWhen(asked, { close: server.close, graceMs: flags.deadlineMs + STOP_MARGIN_MS });
  reloads.heed(server.reload);
} catch (error) {
  if (error !== asked.reason) console.error(lineOf(error));
  if (error !== asked.reason)
    process.exitCode = error instanceof FlagError || 'syscall' in Object(error) ? 2 : 1;
}

/**
 * Aborts at the first SIGTERM or SIGINT, also while the server starts; more of them change nothing, since a terminal and
 * npm each send their own for one Ctrl-C.
 */
function stopAsked(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => controller.abort());
  return controller.signal;
}

/** Stops the server. When all is closed the process ends by itself with 0. */
function stopWhen(
  signal: AbortSignal,
  { close, graceMs }: { readonly close: () => Promise<void>; readonly graceMs: number },
): void {
  const stop = (): void => {
    const timer = setTimeout(() => {
      console.error(`Cannot stop: everything closed within ${graceMs} ms expected`);
      process.exit(1);
    }, graceMs);
    timer.unref();
    void close();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
}

/**
 * SIGHUP replaces workers one by one. Nothing changes if their successors do not start. One that comes while the server
 * starts, which `/readyz` of its first worker may have caused, is heeded when all of it serves.
 */
function reloadsAsked(): { heed(reload: Serving['reload']): void } {
  let isAsked = false;
  let run = (): void => {
    isAsked = true;
  };
  process.on('SIGHUP', () => run());
  return {
    heed(reload) {
      run = () => {
        if (asked.aborted) return;
        reload().catch((error) => console.error(`Cannot reload: ${lineOf(error)}`));
      };
      if (isAsked) run();
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
    return `Cannot start: an address that is free expected. ${(error as Error).message}`;
  }
  return String((error as Error).stack ?? error);
}
