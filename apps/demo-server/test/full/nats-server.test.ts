import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import {
  canTakeDescriptors,
  createManualClock,
  engineProgram,
  gone,
  takeDescriptors,
  turns,
  until,
} from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { natsOptions } from '../../src/nats/nats-options.ts';
import { type NatsServer, startNatsServer } from '../../src/nats/nats-server.ts';

const program = engineProgram('nats');

describe.skipIf(program === undefined)('the NATS server of an embedded fleet', () => {
  let folder: string;
  let server: NatsServer | undefined;
  /** What the guard was given, in order. */
  let guarded: string[];
  const lines: string[] = [];
  const clock = createManualClock();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nats-server-test-'));
    guarded = [];
    lines.length = 0;
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    rmSync(folder, { recursive: true });
  });

  /** A program that starts the server, unless a file beside it says that it fails. */
  async function start(): Promise<NatsServer> {
    const path = join(folder, 'nats-server');
    writeFileSync(path, `#!/bin/sh\n[ -e "$0.broken" ] && exit 3\nexec ${program} "$@"\n`);
    chmodSync(path, 0o755);
    server = await startNatsServer({
      env: { NATS_SERVER_BIN: path },
      log: (line) => lines.push(line),
      clock,
      random: () => 0,
      guard: {
        add: (pid) => void guarded.push(`+${pid}`),
        remove: (pid) => void guarded.push(`-${pid}`),
        close: async () => void guarded.push('closed'),
      },
    });
    return server;
  }
  const answers = async ({ url }: NatsServer): Promise<void> => {
    const nats = await connect({ ...natsOptions({ natsUrl: url }, 'test'), reconnect: false });
    await nats.flush();
    await nats.close();
  };
  const temporary = () => readdirSync(tmpdir()).filter((name) => name.includes('demo-nats-'));

  test.skipIf(!canTakeDescriptors)('removes its settings without a free descriptor', async () => {
    const starting = start();
    expect(temporary()).toHaveLength(1);
    const giveBack = takeDescriptors();
    await starting.finally(giveBack);
    expect(temporary()).toEqual([]);
    await answers(server as NatsServer);
  });

  test('is started again when it ends, on its port and with its token; its number is no longer guarded', async () => {
    const { url, pid = Number.NaN } = await start();
    const before = temporary();
    await answers({ url } as NatsServer);
    for (const [round, delayMs] of [50, 100].entries()) {
      const ended = server?.pid as number;
      process.kill(ended, 'SIGKILL');
      await until(() => lines.length === round + 1);
      expect(lines[round]).toBe(
        `nats-server ${ended} ended (SIGKILL): it is started again on port ${new URL(url).port}`,
      );
      expect(guarded.at(-1)).toBe(`-${ended}`);
      expect(server?.pid).toBeUndefined();
      clock.advance(delayMs - 1);
      await turns(5);
      expect(guarded.at(-1)).toBe(`-${ended}`);
      clock.advance(1);
      await until(() => server?.pid !== undefined && server.pid !== ended);
      expect(guarded.at(-1)).toBe(`+${server?.pid}`);
      expect(server?.url).toBe(url);
      await until(() =>
        answers(server as NatsServer).then(
          () => true,
          () => false,
        ),
      );
    }
    expect(server?.pid).not.toBe(pid);
    const last = server?.pid as number;
    await server?.close();
    await gone(last, 10_000);
    expect(guarded.slice(-2)).toEqual([`-${last}`, 'closed']);
    expect(lines).toHaveLength(2);
    expect(clock.pending).toBe(0);
    expect(temporary()).toEqual(before);
  });

  test('that cannot be started again is tried more and more seldom, with one line', async () => {
    const { pid = Number.NaN } = await start();
    writeFileSync(join(folder, 'nats-server.broken'), '');
    process.kill(pid, 'SIGKILL');
    await until(() => lines.length === 1);
    const starts = () => guarded.filter((each) => each.startsWith('+')).length;
    // Half of 100 ms, doubled each time, since chance is 0.
    for (const [failed, delayMs] of [50, 100, 200, 400, 800].entries()) {
      expect(starts()).toBe(failed + 1);
      clock.advance(delayMs);
      await until(() => starts() === failed + 2 && guarded.at(-1)?.startsWith('-') === true);
      await until(() => clock.pending === 1);
    }
    await until(() => lines.length === 2);
    expect(lines[1]).toMatch(
      /^nats-server fails to start; it is tried from time to time: Cannot start nats-server: it ended \(3\): /,
    );
    rmSync(join(folder, 'nats-server.broken'));
    clock.advance(5000);
    await until(() => server?.pid !== undefined);
    expect(lines).toHaveLength(2);
  });

  test('that is being closed is not started again', async () => {
    const { pid = Number.NaN, close } = await start();
    await close();
    await gone(pid, 10_000);
    clock.advance(60_000);
    await turns(5);
    expect(guarded).toEqual([`+${pid}`, `-${pid}`, 'closed']);
    expect(lines).toEqual([]);
  });

  test('that does not start at all leaves nothing', async () => {
    writeFileSync(join(folder, 'nats-server.broken'), '');
    await expect(start()).rejects.toThrow(/^Cannot start nats-server: it ended \(3\)/);
    expect(guarded.at(-1)).toBe('closed');
    expect(guarded).toHaveLength(3);
  });
});
