import { once } from 'node:events';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkClustersAfterEach } from '../cluster-fixture.ts';
import { ca, patient, serve, testCloseWithStreams, testReloadWithStreams } from '../http2-cases.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

testReloadWithStreams('streams');
testCloseWithStreams('h2c');

test('HTTP/1.1 beside HTTP/2 is counted, and its last answer says so', async () => {
  const { supervisor, port } = await serve('h2', patient);
  const agent = new https.Agent({ keepAlive: true, ca });
  onTestFinished(() => agent.destroy());
  const answer = async (path: string) => {
    const asked = https.get({ host: '127.0.0.1', port, path, agent, servername: 'a.router.test' });
    const [response] = await once(asked, 'response');
    return { connection: response.headers.connection, pid: Number(await text(response)) };
  };
  const { pid } = await answer('/');
  await vi.waitFor(() => expect(supervisor.stats()).toMatchObject({ requests: 1 }), 60_000);
  const last = answer('/draining');
  await vi.waitFor(() => expect(supervisor.stats()).toMatchObject({ inFlight: 1 }), 60_000);
  await supervisor.close();
  expect(await last).toEqual({ connection: 'close', pid });
});
