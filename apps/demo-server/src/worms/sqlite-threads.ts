import type { Dispatcher, TaskMap } from '@ticketing/dispatch';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { programUrl } from '../program-url.ts';

/** Starts threads in which SQLite may block. */
export function startSqliteThreads<Tasks extends TaskMap>(
  program: string,
  { max, file }: { readonly max: number; readonly file?: string },
): Dispatcher<Tasks> {
  return createPiscinaDispatcher<Tasks>(programUrl(`worms/${program}`), {
    name: 'worms',
    min: 1,
    max,
    // That node:sqlite is young concerns nobody who runs the demo.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, ...(file !== undefined && { DEMO_WORMS_FILE: file }) },
  });
}
