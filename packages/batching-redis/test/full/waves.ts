import { expect } from 'vitest';
import { join, type Member, type TestClient } from '../clients.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e'];
const CALLERS = 20;
const LOAD_MS = 15;
const PAUSE_MS = 20;
const PROCESSES = 3;

/** One wave of calls: every caller of every process asks for every key. */
interface Wave {
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  readonly ms: number;
  readonly loads: number;
}

/**
 * Callers of three processes, which ask for five keys in waves until `stop`. What they ask for has a version, which `change`
 * raises: after it has resolved no caller may get an older one. A call that fails, and a stale answer, fail the test.
 */
export interface Waves {
  readonly members: readonly Member[];
  readonly waves: readonly Wave[];
  /** Changes the value of a key, and has all forget it. Tries again until the engine has confirmed it. */
  change(key: string): Promise<void>;
  /** Resolves when a wave that began after now needed one load per key at most, with the milliseconds until its end. */
  shared(): Promise<number>;
  stop(): Promise<void>;
}

/** Most loads of a wave: each process loads each key once, and once more where its value ended within the wave. */
const MOST_LOADS: number = 2 * PROCESSES * KEYS.length;

export async function startWaves(connect: () => TestClient): Promise<Waves> {
  const versions = new Map(KEYS.map((key) => [key, 0]));
  const least = new Map(versions);
  let loads = 0;
  const running = new Map<string, number>();
  const load = async (key: string): Promise<string> => {
    loads += 1;
    const count = (running.get(key) ?? 0) + 1;
    running.set(key, count);
    // A single flight in each process, whatever the engine does.
    expect(count).toBeLessThanOrEqual(PROCESSES);
    const version = versions.get(key);
    await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
    running.set(key, (running.get(key) ?? 0) - 1);
    return `${version}`;
  };
  const members = await Promise.all(
    Array.from({ length: PROCESSES }, () =>
      join(connect, load, { coordinating: { commandTimeoutMs: 50 }, ttlMs: 60_000 }),
    ),
  );
  const waves: Wave[] = [];
  const failures: unknown[] = [];
  let hasStopped = false;

  const ask = async ({ values }: Member, key: string): Promise<void> => {
    const notBefore = least.get(key) ?? 0;
    try {
      const version = Number(await values.get(key));
      if (version < notBefore) failures.push(`${key} has version ${version}, not ${notBefore}`);
    } catch (error) {
      failures.push(error);
    }
  };
  const waving = (async () => {
    while (!hasStopped) {
      const startedAt = performance.now();
      const before = loads;
      await Promise.all(
        members.flatMap((member) =>
          KEYS.flatMap((key) => Array.from({ length: CALLERS }, () => ask(member, key))),
        ),
      );
      waves.push({ startedAt, ms: performance.now() - startedAt, loads: loads - before });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();

  async function change(key: string): Promise<void> {
    const version = (versions.get(key) ?? 0) + 1;
    versions.set(key, version);
    for (const { load: shared } of members.slice(0, 1)) {
      while (
        !(await shared.forget(key).then(
          () => true,
          () => false,
        ))
      ) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
    for (const { values } of members) values.forget(key);
    least.set(key, version);
  }

  return {
    members,
    waves,
    change,
    async shared() {
      const from = performance.now();
      for (;;) {
        const wave = waves.find(
          (each) => each.startedAt > from && each.loads <= KEYS.length && isUp(members),
        );
        if (wave !== undefined) return wave.startedAt + wave.ms - from;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    },
    async stop() {
      hasStopped = true;
      await waving;
      for (const member of members) await member[Symbol.asyncDispose]();
      expect(failures).toEqual([]);
      expect(Math.max(...waves.map((wave) => wave.loads))).toBeLessThanOrEqual(MOST_LOADS);
    },
  };
}

function isUp(members: readonly Member[]): boolean {
  return members.every(({ coordinator }) => coordinator.state === 'up');
}
