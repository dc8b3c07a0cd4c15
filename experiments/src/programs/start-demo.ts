import type { Program, Programs } from './programs.ts';

const MAIN = new URL('../../../apps/demo-server/src/main.ts', import.meta.url);
/** Time to fill a million documents. */
const START_MS = 300_000;

/** Starts the demo as `npm run demo` does, on a free port. */
export function startDemo(programs: Programs, flags: readonly string[]): Promise<Program> {
  return programs.start(MAIN, ['--port', '0', ...flags], { startMs: START_MS });
}
