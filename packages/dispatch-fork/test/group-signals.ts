import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { program } from './fork-fixture.ts';

function groupLives(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

/** Tests a draining program whose whole group gets a signal, as by Ctrl-C. */
export function testGroupSignals(signals: readonly NodeJS.Signals[]): void {
  test.each(signals)(
    '%s to the whole group of a program that drains: its task ends, and nothing is left [group-signals]',
    async (signal) => {
      const draining = program(new URL('fixtures/draining-program.ts', import.meta.url), true);
      const [line] = await once(draining.stdout, 'data');
      expect(String(line)).toBe('held\n');
      process.kill(-(draining.pid as number), signal);
      const [output, [code]] = await Promise.all([text(draining.stdout), once(draining, 'exit')]);
      expect([output, code]).toEqual(['ended\nspawned 1\n', 0]);
      // No process of the group lives.
      await until(() => !groupLives(draining.pid as number));
    },
  );
}
