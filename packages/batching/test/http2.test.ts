// What sessions and streams of HTTP/2 add. The tests of HTTP/1.1 over it are in `test/full`.
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { asked, createApp, Gate, left, listen, overHttp2, wire } from './fastify-client.ts';

wire.protocol = 'h2c';

const coalesce = { config: { coalesce: true } };

test('the first stream of a session is reset, and its 20 followers get the answer of one run', async () => {
  const app = await createApp();
  const gate = new Gate();
  app.get('/', coalesce, () => gate.pass());
  const send = await listen(app);
  const first = send('/');
  await asked(app, 1);
  const followers = Array.from({ length: 20 }, () => send('/'));
  await asked(app, 21);
  first.leave();
  await left(app, 1);
  gate.open('shared');
  for (const { answer } of followers) {
    expect(await answer).toMatchObject({ status: 200, body: 'shared' });
  }
  expect(gate.runs).toBe(1);
  expect(app.coalesced.stats()).toMatchObject({ asked: 21, loaded: 1, joined: 20, inFlight: 0 });
});

test('a session that ends takes all its streams along, and those of others are answered', async () => {
  const app = await createApp();
  const gate = new Gate();
  app.get('/', coalesce, () => gate.pass());
  const stays = await listen(app);
  const { port } = app.server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${port}`);
  const goes = overHttp2(session);
  const gone = [goes('/')];
  await asked(app, 1);
  const other = stays('/');
  gone.push(goes('/'));
  await asked(app, 3);
  session.destroy();
  for (const { answer } of gone) await expect(answer).rejects.toThrow();
  await left(app, 2);
  gate.open('shared');
  expect(await other.answer).toMatchObject({ status: 200, body: 'shared' });
  expect(gate.runs).toBe(1);
});

test('a session that takes no new streams still gets what its streams wait for', async () => {
  const app = await createApp();
  const gate = new Gate();
  app.get('/', coalesce, () => gate.pass());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const send = overHttp2(session);
  const calls = [send('/'), send('/')];
  await asked(app, 2);
  session.close();
  gate.open('shared');
  for (const { answer } of calls) expect((await answer).body).toBe('shared');
});
