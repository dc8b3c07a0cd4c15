import { once } from 'node:events';
import { expect, test } from 'vitest';
import { type exampleIn, freePort, main, server } from './readme-program.ts';

const programs = {
  'as it is': main,
  'with a handler of its own, which closes': main
    .replace(', signals: true', '')
    .replace('await', "process.once('SIGTERM', () => supervisor.close());\nawait"),
};

/** Tests the end of the README's program by an early signal. */
export function testEarlySignal(
  run: ReturnType<typeof exampleIn>,
  name: keyof typeof programs,
  signal: 'SIGTERM' | 'SIGINT',
): void {
  test(`README: the program ${name} ends with 0 and without a word on ${signal} while workers start`, {
    timeout: 120_000,
  }, async () => {
    const program = server.replace('8080', String(await freePort()));
    // No worker can be ready so soon.
    const after = `setTimeout(() => process.kill(process.pid, '${signal}'), 50);\nawait`;
    const primary = await run('stopped', program, programs[name].replace('await', after));
    let said = '';
    primary.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    expect(await once(primary, 'close')).toEqual([0, null]);
    expect(said).toBe('');
  });
}
