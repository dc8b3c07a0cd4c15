import { exitCodeOf } from '@ticketing/cli-kit';
import { readFlags } from './flags/read-flags.ts';
import { showStopping, startLines } from './serving/life-lines.ts';
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
  console.log(startLines(server, { flags, rows }).join('\n'));
  closeAtStop(server, flags.deadlineMs + STOP_MARGIN_MS);
  reloads.pass(server.reload);
} catch (error) {
  if (error !== stopping.reason) {
    process.exitCode = exitCodeOf(error) ?? report(error);
  }
}

/**
 * Aborts at the first SIGTERM or SIGINT, also while the server starts. Later ones change nothing, because a terminal and npm
 * each send one for a single Ctrl-C.
 */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => controller.abort());
  return controller.signal;
}

/** Closes the server at a stop. When all is closed the process ends by itself with 0. */
function closeAtStop(server: Serving, graceMs: number): void {
  const stop = (): void => {
    const timer = setTimeout(() => {
      console.error(`Cannot stop: the server did not close within ${graceMs} ms`);
      process.exit(1);
    }, graceMs);
    timer.unref();
    const shown = showStopping(server.inFlight, process.stderr);
    void server.close().finally(shown.end);
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
        reload().catch((error) => {
          // The successors that it waits for are ended by a stop.
          if (stopping.aborted) return;
          console.error(`Cannot reload: ${(error as Error).message ?? error}`);
        });
      };
      if (isPending) run();
    },
  };
}

/** Returns the exit code: 2 for an address that cannot be listened on. */
function report(error: unknown): 1 | 2 {
  const isAddress = 'syscall' in Object(error);
  console.error(lineOf(error));
  return isAddress ? 2 : 1;
}

function lineOf(error: unknown): string {
  if ('syscall' in Object(error)) {
    return `Cannot start: ${(error as Error).message}; choose another --host or --port`;
  }
  return String((error as Error).stack ?? error);
}
