import { FlagError } from './flag-values.ts';
import { type FlagRow, readFlags } from './flags.ts';
import { serve } from './serve.ts';

const STOP_MARGIN_MS = 5000;

try {
  const { flags, rows } = readFlags(process.argv.slice(2), process.env);
  const server = await serve(flags);
  console.log(table(rows));
  console.log(`\ncarriers   ${server.carriersUrl}`);
  console.log(`listening  ${server.url}/search?origin=Madrid&destination=Barcelona`);
  stopOnSignal(server.close, flags.deadlineMs + STOP_MARGIN_MS);
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
