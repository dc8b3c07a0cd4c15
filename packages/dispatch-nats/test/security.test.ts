import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  connect,
  type NatsConnection,
  type NodeConnectionOptions,
  nkeyAuthenticator,
  nkeys,
} from '@nats-io/transport-node';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { type EngineServer, engineProgram, startNatsServer } from '@ticketing/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNatsDispatcher, serveNatsTasks } from '../src/index.ts';
import { serveJson } from '../src/json/index.ts';

const ran: number[] = [];
const tasks = {
  sum: (numbers: readonly number[]) => {
    const sum = numbers.reduce((a, b) => a + b, 0);
    ran.push(sum);
    return sum;
  },
};
type Tasks = typeof tasks;

/** Starts a host and a dispatcher that have run a task in every permitted way. */
async function runFleet(
  web: NodeConnectionOptions,
  host: NodeConnectionOptions,
  json?: typeof serveJson,
) {
  const local = createInProcessDispatcher(defineTasks(tasks));
  const served = serveNatsTasks({
    nats: host,
    fleet: 'shop',
    dispatcher: local,
    tasks: ['sum'],
    ...(json && { json }),
  });
  const dispatcher = createNatsDispatcher<Tasks>({
    nats: web,
    fleet: 'shop',
    name: 'web',
    // A busy machine may be silent for seconds.
    missedBeats: 40,
  });
  const close = async () => {
    await dispatcher.close();
    await served.close();
    await local.close();
  };
  try {
    await served.ready();
    expect(await dispatcher.run('sum', [1, 2, 3], { timeoutMs: 50_000 })).toBe(6);
  } catch (error) {
    await close();
    throw error;
  }
  return { dispatcher, served, close };
}

/** Adds a second user beside each that asks, with its own copy of the permissions. */
function withTwins(config: string): string {
  let twins = '';
  for (const [user, twin] of [
    ['web', 'api'],
    ['shell', 'cron'],
  ] as const) {
    const block = config.match(new RegExp(` {2}\\{ user: ${user},[\\s\\S]*?\\} \\}\\n`))?.[0] ?? '';
    twins += block
      .replaceAll(user, twin)
      .replace(`$${user.toUpperCase()}_`, `$${twin.toUpperCase()}_`);
  }
  return config.replace(/\] \}\n$/, `${twins}] }\n`);
}

describe.skipIf(engineProgram('nats') === undefined)('permissions of the reference', () => {
  let server: EngineServer;
  const connections: NatsConnection[] = [];
  let fleet: Awaited<ReturnType<typeof runFleet>>;

  const as = (user: string): NodeConnectionOptions => ({
    servers: server.url,
    user,
    pass: `${user}-secret`,
    inboxPrefix: `_INBOX_${user}`,
  });
  async function open(user: string) {
    const nats = await connect(as(user));
    connections.push(nats);
    return nats;
  }

  beforeAll(async () => {
    const page = new URL('../../../docs/reference/dispatch-nats.md', import.meta.url);
    const reference = await readFile(page, 'utf8');
    const config = reference.match(/```\n(authorization \{[\s\S]*?)```/)?.[1] ?? '';
    const withPasswords = withTwins(config)
      .replace(/\$([A-Z]+)_PASSWORD/g, (_, user: string) => `${user.toLowerCase()}-secret`)
      .replace(
        'users: [',
        'users: [\n    { user: stranger, password: stranger-secret, permissions: { publish: ["other.>"], subscribe: ["_INBOX.>"] } }',
      );
    server = await startNatsServer({ config: withPasswords });
    fleet = await runFleet(as('web'), as('host'), serveJson);
  });
  afterAll(async () => {
    await fleet?.close();
    await Promise.all(connections.map((each) => each.close()));
    await server?.close();
  });

  /** Returns true if the server lets a user publish to a subject, by the errors in the connection's status. */
  async function mayPublish(user: string, subject: string): Promise<boolean> {
    const nats = await open(user);
    let refused = false;
    const read = (async () => {
      for await (const status of nats.status()) {
        if (status.type === 'error' && /publish/i.test(status.error.message)) refused = true;
      }
    })();
    nats.publish(subject, Buffer.from('{}'));
    await nats.flush();
    await nats.close();
    await read;
    return !refused;
  }

  async function maySubscribe(user: string, subject: string): Promise<boolean> {
    const nats = await open(user);
    let refused = false;
    nats.subscribe(subject, {
      callback: (error) => {
        refused = error !== null;
      },
    });
    await nats.flush();
    await nats.close();
    return !refused;
  }

  const id = () => fleet.served.id;

  it('let a dispatcher and a host do all that they need', async () => {
    const { completed } = fleet.dispatcher.stats();
    await fleet.dispatcher.reload();
    expect(await fleet.dispatcher.run('sum', [4])).toBe(4);
    expect(fleet.dispatcher.stats()).toMatchObject({ completed: completed + 1, lost: 0 });
  });

  it('let a shell run one task by JSON, and get its answer', async () => {
    const nats = await open('shell');
    const answer = await nats.request('tt.shop.t.sum', '[20, 22]', { timeout: 20_000 });
    expect(answer.json()).toBe(42);
    await expect(nats.request('tt.shop.t.other', '1')).rejects.toThrow(/permission/i);
  });

  it.each(['stranger', 'shell'])(
    'refuse a %s who would run a task or pretend to be a host',
    async (user) => {
      const before = ran.length;
      const refused = [
        'tt.shop.who',
        'tt.shop.here',
        `tt.shop.h.${id()}.open`,
        `tt.shop.s.${id()}.web.aaaaaaaa.1`,
        'tt.shop.d.web.aaaaaaaa.1',
      ];
      for (const subject of refused)
        expect([subject, await mayPublish(user, subject)]).toEqual([subject, false]);
      for (const subject of ['tt.shop.>', 'tt.shop.here', 'tt.shop.d.>', 'tt.shop.s.>', '$SRV.>']) {
        expect([subject, await maySubscribe(user, subject)]).toEqual([subject, false]);
      }
      expect(await mayPublish('stranger', 'tt.shop.t.sum')).toBe(false);
      expect(ran.length).toBe(before);
      expect(fleet.served.stats().sessions).toHaveLength(1);
    },
  );

  it('keep a dispatcher from other dispatchers, and a host from running tasks', async () => {
    expect(await maySubscribe('web', 'tt.shop.d.>')).toBe(false);
    expect(await maySubscribe('web', 'tt.shop.s.>')).toBe(false);
    expect(await mayPublish('web', 'tt.shop.d.web.aaaaaaaa.1')).toBe(false);
    expect(await mayPublish('web', 'tt.shop.here')).toBe(false);
    expect(await mayPublish('host', `tt.shop.s.${id()}.web.aaaaaaaa.1`)).toBe(false);
    expect(await mayPublish('host', `tt.shop.h.${id()}.open`)).toBe(false);
    expect(await maySubscribe('host', 'tt.shop.d.>')).toBe(false);
  });

  it('keep a caller from the replies to another, and from its sessions [nats-replies]', async () => {
    const [session] = fleet.served.stats().sessions;
    const ofWeb = session?.dispatcher ?? '';
    expect(ofWeb).toMatch(/^web\.\w{8}$/);
    const replies = ['>', '*.>', '_INBOX.>', '_INBOX_*.>', 'tt.>', 'tt.shop.>', 'tt.shop.d.>'];
    for (const user of ['api', 'cron']) {
      const others = [`tt.shop.d.${ofWeb}.>`, 'tt.shop.d.web.>', 'tt.shop.d.*.>', '_INBOX_shell.>'];
      for (const subject of [...replies, ...others]) {
        expect([user, subject, await maySubscribe(user, subject)]).toEqual([user, subject, false]);
      }
      const sessions = [`tt.shop.s.${id()}.${ofWeb}.1`, `tt.shop.d.${ofWeb}.1`, '_INBOX_shell.x'];
      for (const subject of sessions) {
        expect([user, subject, await mayPublish(user, subject)]).toEqual([user, subject, false]);
      }
    }
    // Each user may subscribe to its own subjects.
    for (const [user, subject] of [
      ['api', 'tt.shop.d.api.>'],
      ['cron', '_INBOX_cron.>'],
    ] as const) {
      expect([subject, await maySubscribe(user, subject)]).toEqual([subject, true]);
    }
    const cron = await open('cron');
    const overheard: string[] = [];
    cron.subscribe('_INBOX_cron.>', { callback: (_, { subject }) => void overheard.push(subject) });
    await cron.flush();
    const shell = await open('shell');
    expect((await shell.request('tt.shop.t.sum', '[1, 2]', { timeout: 20_000 })).json()).toBe(3);
    expect(await fleet.dispatcher.run('sum', [2, 3])).toBe(5);
    await cron.flush();
    expect(overheard).toEqual([]);
    expect(fleet.dispatcher.fleet().lost).toMatchObject({ gap: 0, malformed: 0, ended: 0 });
  });

  it('leave a shell no reply but its own inbox: a host answers nothing to subjects of its fleet [nats-replies]', async () => {
    const [session] = fleet.served.stats().sessions;
    const shell = await open('shell');
    const before = fleet.served.stats().json?.ignored ?? 0;
    const subjects = ['tt.shop.here', `tt.shop.d.${session?.dispatcher}.1`, 'tt.shop.who'];
    for (const reply of subjects) shell.publish('tt.shop.t.sum', '[1]', { reply });
    // After these messages.
    expect((await shell.request('tt.shop.t.sum', '[2]', { timeout: 20_000 })).json()).toBe(2);
    expect(fleet.served.stats().json?.ignored).toBe(before + subjects.length);
    expect(await fleet.dispatcher.run('sum', [3])).toBe(3);
    expect(fleet.dispatcher.stats().lost).toBe(0);
  });

  it('refuse whoever has no password', async () => {
    await expect(connect({ servers: server.url, reconnect: false })).rejects.toThrow(
      /authorization/i,
    );
  });
});

describe.skipIf(engineProgram('nats') === undefined)('a server that asks who one is', () => {
  it('takes a token', async () => {
    await using server = await startNatsServer({ config: 'authorization { token: "t0ken" }' });
    const nats = { servers: server.url, token: 't0ken' };
    const { close } = await runFleet(nats, nats);
    await close();
  });

  it('takes nkeys', async () => {
    const user = nkeys.createUser();
    const config = `authorization { users: [ { nkey: ${user.getPublicKey()} } ] }`;
    await using server = await startNatsServer({ config });
    const nats = { servers: server.url, authenticator: nkeyAuthenticator(user.getSeed()) };
    const { close } = await runFleet(nats, nats);
    await close();
  });

  it('speaks TLS alone', async () => {
    const file = (name: string) => fileURLToPath(new URL(`./tls/${name}.pem`, import.meta.url));
    const config = `tls { cert_file: "${file('cert')}", key_file: "${file('key')}" }`;
    await using server = await startNatsServer({ config });
    const servers = server.url.replace('nats://', '').replace('127.0.0.1', 'localhost');
    const nats = { servers, tls: { caFile: file('cert') } };
    const { close } = await runFleet(nats, nats);
    await close();
    await expect(connect({ servers, tls: {}, reconnect: false })).rejects.toThrow();
  });

  it('says why in what ready() throws when it refuses the credentials', async () => {
    await using server = await startNatsServer({ config: 'authorization { token: "t0ken" }' });
    const nats = { servers: server.url, token: 'wrong' };
    let causes: unknown[] = [];
    // The server's answer may take longer than a start on a busy machine.
    for (const startTimeoutMs of [300, 3000, 30_000]) {
      const restart = { maxFailures: 0 };
      const options = { nats, fleet: 'shop', startTimeoutMs, restart };
      const dispatcher = createNatsDispatcher<Tasks>(options);
      const error = await dispatcher.ready().catch((thrown) => thrown);
      await dispatcher.close();
      causes = [];
      for (let at = error; at instanceof Error; at = at.cause as Error) causes.push(at.message);
      if (causes.length > 2) break;
    }
    expect(causes.join('\n')).toMatch(/authorization/i);
    expect(causes.join('\n')).not.toMatch(/wrong/);
  });
});
