// Runs the cases of one entry, in the runtime that runs this file: `run-entry.mjs <file> <entry>`. Prints a line of JSON for each
// case, `{ name, error }`, and then nothing else: the caller ends the process.
import { setTimeout as delay } from 'node:timers/promises';

const LONGEST_MS = 20_000;
const [, , file, entry] = process.argv;
const report = (name, error) => console.log(JSON.stringify({ name, error }));

process.on('uncaughtException', (error) => report('uncaught exception', String(error)));
process.on('unhandledRejection', (error) => report('unhandled rejection', String(error)));

let cases;
try {
  cases = (await import(new URL(file, import.meta.url).href)).default[entry];
} catch (error) {
  report('import', String(error?.stack ?? error));
}
for (const [name, run] of Object.entries(cases ?? {})) {
  const ends = new AbortController();
  const late = delay(LONGEST_MS, undefined, { signal: ends.signal }).then(
    () => Promise.reject(new Error(`did not end within ${LONGEST_MS} ms`)),
    () => {},
  );
  try {
    await Promise.race([run(), late]);
    report(name);
  } catch (error) {
    report(name, String(error?.stack ?? error));
  } finally {
    ends.abort();
  }
}
console.log('"end"');
