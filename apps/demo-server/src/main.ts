import { FlagError } from './flags/flag-values.ts';
import type { Flags } from './flags/flags.ts';
import { type FlagRow, readFlags } from './flags/read-flags.ts';
import { type Serving, serve } from './serve.ts';

const STOP_MARGIN_MS = 5000;

try {
  const { flags, rows } = readFlags(process.argv.slice(2), process.env);
  const server = await serve(flags, { log: (line) => console.error(line) });
  console.log(table(rows));
  console.log(`\nprocesses  ${processesOf(flags)}`);
  console.log(`carriers   ${server.carriersUrl}`);
  console.log(`listening  ${server.url}/search?origin=Madrid&destination=Barcelona`);
  stopOnSignal(server.close, flags.deadlineMs + STOP_MARGIN_MS);
  reloadOnSignal(server.reload);
} catch (error) {
  console.error(lineOf(error));
  process.exitCode = error instanceof FlagError || 'syscall' in Object(error) ? 2 : 1;
}

/**
 * The first signal stops the server; more of them change nothing, since a terminal and npm each send
 * their own for one Ctrl-C. When all is closed the process ends by itself with 0.
 */
function stopOnSignal(close: () => Promise<void>, graceMs: number): void {
  const stop = (): void => {
    const timer = setTimeout(() => {
      console.error(`Cannot stop: everything closed within ${graceMs} ms expected`);
      process.exit(1);
    }, graceMs);
    timer.unref();
    void close();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** SIGHUP replaces workers one by one. Nothing changes if their successors do not start. */
function reloadOnSignal(reload: Serving['reload']): void {
  process.on('SIGHUP', () => {
    reload().catch((error) => console.error(`Cannot reload: ${lineOf(error)}`));
  });
}

function processesOf({ accept, workers, dispatch, dispatchWorkers }: Flags): string {
  const serving = accept === 'single' ? '1 that serves' : `1 primary, ${workers} that serve`;
  if (dispatch === 'in-process' || (dispatch === 'cluster' && accept !== 'single')) return serving;
  const kind = dispatch === 'piscina' ? 'threads' : 'processes';
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
