import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import {
  createManualClock,
  type EngineServer,
  engineProgram,
  freePort,
  type ManualClock,
  startNatsServer,
  until,
} from '@ticketing/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNatsDispatcher, type NatsDispatcher, serveNatsTasks } from '../../src/index.ts';
import { type FleetTasks, hostsOf, makeTasks } from '../fleet-fixture.ts';

const FLEET = 'servers';
const taskNames = ['hold', 'where', 'pause'] as const;
/** Lame duck mode of NATS. */
const LAME_DUCK = 'SIGUSR2';

/** A step of the clock of hosts and dispatchers, at which they tick. */
const STEP_MS = 50;

describe.skipIf(engineProgram('nats') === undefined)('servers of a cluster', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let clock: ManualClock;
  let notes: string[];
  beforeEach(() => {
    clock = createManualClock();
    notes = [];
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const began = () => notes.filter((each) => each.endsWith(' began')).length;

  async function startCluster(count: number): Promise<EngineServer[]> {
    const routes = await Promise.all(Array.from({ length: count }, freePort));
    const list = routes.map((port) => `nats://127.0.0.1:${port}`).join(',');
    const servers = await Promise.all(
      routes.map((port) => {
        const cluster = ['--cluster', `nats://127.0.0.1:${port}`, '--routes', list];
        return startNatsServer({ args: ['--cluster_name', 'servers', ...cluster] });
      }),
    );
    closing.push(() => Promise.all(servers.map((each) => each.close())));
    return servers;
  }

  /** Options of a connection that begins at one of the servers. */
  function at(servers: readonly EngineServer[], first: number) {
    const urls = servers.map(({ url }) => url);
    return { servers: [...urls.slice(first), ...urls.slice(0, first)], noRandomize: true };
  }

  async function serve(servers: readonly EngineServer[], first: number, name: string) {
    const { tasks, held } = makeTasks(name, notes);
    const local = createInProcessDispatcher(defineTasks(tasks), { clock });
    const host = serveNatsTasks<FleetTasks>({
      ...{ nats: at(servers, first), fleet: FLEET, hostId: name, dispatcher: local, clock },
      tasks: taskNames,
    });
    closing.push(
      () => local.close(),
      () => host.close(),
    );
    await host.ready();
    return { host, letGo: (mark: string) => held.get(mark)?.() };
  }

  /** Beats are far apart, so silence shows nothing. */
  async function dispatch(servers: readonly EngineServer[], first: number, hosts: number) {
    const dispatcher = createNatsDispatcher<FleetTasks>({
      ...{ nats: at(servers, first), fleet: FLEET, name: `at-${first}`, clock },
      ...{ beatMs: 60_000, missedBeats: 100, startTimeoutMs: 600_000 },
    });
    closing.push(() => dispatcher.close());
    await passUntil(() => hostsOf(dispatcher).length === hosts);
    return dispatcher;
  }

  /** Lets time pass until something holds. */
  async function passUntil(check: () => boolean): Promise<void> {
    await until(() => {
      if (check()) return true;
      clock.advance(STEP_MS);
      return false;
    });
  }

  /** Calls that go on until they are let go: each host of a dispatcher has one. */
  function hold(dispatcher: NatsDispatcher<FleetTasks>, calls: number) {
    return Array.from({ length: calls }, (_, index) => {
      const call = { mark: `${dispatcher.fleet().id} ${index}`, code: '' };
      dispatcher.run('hold', call.mark).catch(({ code }) => {
        call.code = code;
      });
      return call;
    });
  }

  it('two of three are killed: every call over them is reported lost at once, without a beat', async () => {
    const servers = await startCluster(3);
    const hosts = await Promise.all([0, 1, 2].map((index) => serve(servers, index, `h${index}`)));
    const gone = await dispatch(servers, 0, 3);
    const stays = await dispatch(servers, 2, 3);
    const [ofGone, ofStays] = [hold(gone, 3), hold(stays, 3)];
    await until(() => began() === 6);
    const at = clock.now();
    await Promise.all([servers[0]?.stop(), servers[1]?.stop()]);
    // No time passes: neither side waits for a beat of the other.
    await until(() => ofGone.every(({ code }) => code === 'ERR_WORKER_LOST'));
    await until(() => ofStays.filter(({ code }) => code === 'ERR_WORKER_LOST').length === 2);
    await until(() => notes.filter((each) => each.endsWith(' aborted')).length === 5);
    expect(clock.now()).toBe(at);
    expect(gone.fleet().lost).toMatchObject({ disconnect: 3, silence: 0 });
    expect(stays.fleet().lost).toMatchObject({ disconnect: 0, silence: 0 });
    // The session of the host and the dispatcher that stay goes on.
    const left = ofStays.find(({ code }) => code === '') as { mark: string };
    for (const { letGo } of hosts) letGo(left.mark);
    await passUntil(() => hostsOf(gone).length === 3 && hostsOf(stays).length === 3);
    expect(await gone.run('where', 'x')).toMatch(/^h\d$/);
    expect(await stays.run('where', 'x')).toMatch(/^h\d$/);
  });

  it('one is about to stop: no call fails, and nothing is left on it', async () => {
    const servers = await startCluster(2);
    const [leaving] = servers as [EngineServer, EngineServer];
    const hosts = await Promise.all([0, 0, 1].map((first, i) => serve(servers, first, `h${i}`)));
    const dispatchers = [await dispatch(servers, 0, 3), await dispatch(servers, 1, 3)];
    const answered = [0, 0];
    const failed: unknown[] = [];
    let goesOn = true;
    const load = dispatchers.flatMap((dispatcher, index) =>
      Array.from({ length: 8 }, async () => {
        while (goesOn) {
          try {
            await dispatcher.run('pause', 2);
          } catch (error) {
            // No further calls, because calls of a closed dispatcher would fail without end.
            failed.push(error);
            return;
          }
          answered[index] = (answered[index] ?? 0) + 1;
        }
      }),
    );
    /** Waits until something holds, or a call has failed. Timers of the clock get a step of it at last. */
    const untilOrFailed = (check: () => boolean) => {
      let looks = 0;
      return until(() => {
        looks += 1;
        if (looks % 200 === 0) clock.advance(STEP_MS);
        return failed.length > 0 || check();
      });
    };
    await untilOrFailed(() => Math.min(...answered) > 50);
    leaving.signal(LAME_DUCK);
    // A host that moves first ends its session by itself, so not all of them need be lost by the dispatcher's own move.
    const moved = () =>
      (dispatchers[0]?.fleet().lost.disconnect ?? 0) > 0 &&
      hosts.slice(0, 2).every(({ host }) => host.stats().lost > 0);
    // A second of the manual clock is 20 steps, far more than a call takes.
    while (!moved() && failed.length === 0) {
      const before = answered[1] ?? 0;
      await untilOrFailed(() => (answered[1] ?? 0) > before + 20);
      clock.advance(STEP_MS);
    }
    const isWhole = () => dispatchers.every((each) => hostsOf(each).length === 3);
    await passUntil(() => failed.length > 0 || isWhole());
    // The server no longer has a client.
    await leaving.stop();
    const after = [...answered];
    await untilOrFailed(() =>
      answered.every((count, index) => count > (after[index] as number) + 50),
    );
    goesOn = false;
    await Promise.all(load);
    expect(failed).toEqual([]);
  });

  it('one is about to stop: nothing new begins over it, what is under way has a second', async () => {
    const servers = await startCluster(2);
    const [leaving] = servers as [EngineServer, EngineServer];
    await serve(servers, 0, 'leaves');
    const far = await dispatch(servers, 1, 1);
    const near = await dispatch(servers, 0, 1);
    const held = [...hold(far, 1), ...hold(near, 1)];
    await until(() => began() === 2);
    await serve(servers, 1, 'stays');
    await passUntil(() => hostsOf(far).length === 2 && hostsOf(near).length === 2);
    const signalledAt = clock.now();
    leaving.signal(LAME_DUCK);
    const burst = (count: number) =>
      Promise.all(Array.from({ length: count }, () => far.run('where', 'x')));
    // No time passes until both sides know it.
    await until(async () => !(await burst(20)).includes('leaves'));
    const waiting: Promise<string>[] = [];
    await until(() => {
      waiting.push(near.run('where', 'waits'));
      return near.stats().queued > 0;
    });
    expect(new Set(await burst(100))).toEqual(new Set(['stays']));
    expect(near.stats().queued).toBeGreaterThan(0);
    expect(held.map(({ code }) => code)).toEqual(['', '']);
    expect(clock.now()).toBe(signalledAt);
    await passUntil(() => held.every(({ code }) => code === 'ERR_WORKER_LOST'));
    const tookMs = clock.now() - signalledAt;
    expect(tookMs).toBeGreaterThanOrEqual(1000);
    await passUntil(() => hostsOf(far).length === 2 && hostsOf(near).length === 2);
    expect(await Promise.all(waiting)).toHaveLength(waiting.length);
    await leaving.stop();
    for (const each of [far, near]) expect(await each.run('where', 'after')).toBeTypeOf('string');
    expect([far, near].map((each) => each.fleet().lost.silence)).toEqual([0, 0]);
  });
});
