import {
  createLink,
  type EngineServer,
  engineProgram,
  startRedisServer,
  until,
} from '@ticketing/test-kit';
import { describe, expect, test } from 'vitest';
import { BY_SENTINEL, CLIENT_NAMES, CLIENTS } from '../clients.ts';
import { startWaves, type Waves } from './waves.ts';

/** The fault lasts for so long: that is what is tested. */
async function lasting(ms: number): Promise<void> {
  const from = performance.now();
  await until(() => performance.now() - from > ms);
}
/** Waves that go well before and after a fault. */
const CALM = 5;
/** The target is 2 s; a busy machine may need longer. */
const BACK_WITHIN_MS = 10_000;

/** Has waves go on for a while, does something to the server, and expects that loads are shared again afterwards. */
async function survives(name: string, waves: Waves, fault: () => Promise<void>): Promise<void> {
  try {
    await until(() => waves.waves.length >= CALM);
    await waves.change('a');
    await fault();
    const backMs = await waves.shared();
    const during = Math.max(...waves.waves.map(({ ms }) => ms));
    const loads = Math.max(...waves.waves.map((wave) => wave.loads));
    console.log(
      `${name}: back after ${Math.round(backMs)} ms, longest wave ${Math.round(during)} ms, most loads ${loads}`,
    );
    expect(backMs).toBeLessThan(BACK_WITHIN_MS);
    await waves.change('a');
    const seen = waves.waves.length;
    await until(() => waves.waves.length >= seen + CALM);
  } finally {
    await waves.stop();
  }
}

describe.skipIf(engineProgram('redis') === undefined).each(CLIENT_NAMES)('%s', (name) => {
  test('the server is stopped for 3 s: no call fails, each process loads for itself, then all share again', async () => {
    await using server = await startRedisServer();
    const waves = await startWaves(() => CLIENTS[name](server.url));
    await survives(`${name}, stopped`, waves, async () => {
      server.signal('SIGSTOP');
      const changed = waves.change('b');
      await lasting(3000);
      server.signal('SIGCONT');
      await changed;
    });
  });

  test('the server is killed and started again after a second: no call fails, nothing stale comes back', async () => {
    await using server = await startRedisServer();
    const waves = await startWaves(() => CLIENTS[name](server.url));
    await survives(`${name}, killed`, waves, async () => {
      await server.stop('SIGKILL');
      const changed = waves.change('b');
      await lasting(1000);
      await server.start();
      await changed;
    });
  });

  test('the master is killed, and a sentinel makes its replica the master: no call fails, and loads are shared again', async () => {
    await using master = await startRedisServer();
    await using replica = await startRedisServer({ args: replicaOf(master) });
    await using sentinel = await startRedisServer({
      args: ['--sentinel'],
      ready: '+monitor',
      config: [
        `sentinel monitor main 127.0.0.1 ${master.port} 1`,
        'sentinel down-after-milliseconds main 300',
        'sentinel failover-timeout main 2000',
      ].join('\n'),
    });
    const watcher = CLIENTS[name](sentinel.url);
    const knowsReplica = async () =>
      String(await watcher.call('SENTINEL', 'replicas', 'main')).includes(`${replica.port}`);
    await until(knowsReplica, 'the replica', 60_000);
    watcher.disconnect();
    const waves = await startWaves(() => BY_SENTINEL[name](sentinel.port));
    await survives(`${name}, by a sentinel`, waves, async () => {
      await waves.members[0]?.client.call('WAIT', '1', '10000');
      await master.stop('SIGKILL');
      const admin = CLIENTS[name](replica.url);
      await until(
        async () => String(await admin.call('INFO', 'replication')).includes('role:master'),
        'the new master',
      );
      admin.disconnect();
    });
  });

  test('the server is killed, and its replica takes over: what was forgotten stays forgotten', async () => {
    await using first = await startRedisServer();
    await using replica = await startRedisServer({ args: replicaOf(first) });
    const admin = CLIENTS[name](replica.url);
    await until(async () =>
      String(await admin.call('INFO', 'replication')).includes('master_link_status:up'),
    );
    const to = { host: '127.0.0.1', port: first.port };
    await using link = await createLink({ to });
    const waves = await startWaves(() => CLIENTS[name](`redis://127.0.0.1:${link.port}`));
    await survives(`${name}, failed over`, waves, async () => {
      await waves.change('c');
      // What is forgotten must have reached the replica: the caller may ask for that.
      await waves.members[0]?.client.call('WAIT', '1', '10000');
      await failOver(first, replica, to);
      link.cut();
      await admin.call('REPLICAOF', 'NO', 'ONE');
      link.open();
    });
    admin.disconnect();
  });
});

const replicaOf = ({ port }: EngineServer) => ['--replicaof', '127.0.0.1', String(port)];

async function failOver(
  first: EngineServer,
  replica: EngineServer,
  to: { port: number },
): Promise<void> {
  await first.stop('SIGKILL');
  to.port = replica.port;
}
