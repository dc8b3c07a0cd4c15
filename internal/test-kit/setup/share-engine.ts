import { type EngineName, engineProgram, engineUrlVariable, startEngine } from '../src/engines.ts';

/**
 * Starts an engine's server for all test files of a run, where its program is installed, and sets the variable that
 * `engineUrl()` reads to its address. Does nothing if the run has one already, as beside `scripts/with-engines.mjs`.
 *
 * @returns what ends it after the run
 */
export async function shareEngine(name: EngineName): Promise<(() => Promise<void>) | undefined> {
  const variable = engineUrlVariable(name);
  if (process.env[variable] || engineProgram(name) === undefined) return undefined;
  const server = await startEngine(name);
  process.env[variable] = server.url;
  return async () => {
    delete process.env[variable];
    await server.close();
  };
}
