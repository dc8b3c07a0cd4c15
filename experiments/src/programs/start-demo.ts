import type { Program, Programs } from './programs.ts';

const MAIN = new URL('../../../apps/demo-server/src/main.ts', import.meta.url);
/** Time to fill a million documents. */
const START_MS = 300_000;

/** The carriers of one network, which the published figures are of: with others they would not compare. */
const CARRIERS = ['--carriers', 'renfe,ouigo,avlo'];

/** Starts the demo as `npm run demo` does, on a free port, with three carriers unless the flags name others. */
export function startDemo(programs: Programs, flags: readonly string[]): Promise<Program> {
  const carriers = flags.includes('--carriers') ? [] : CARRIERS;
  return programs.start(MAIN, ['--port', '0', ...carriers, ...flags], { startMs: START_MS });
}
