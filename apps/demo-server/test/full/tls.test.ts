import { once } from 'node:events';
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { runDemo, startDemo } from '../demo.ts';
import { client, flags, pem, REFUSED, testHttps } from '../tls-cases.ts';

testHttps('cluster');
testHttps('socket');

test.each([
  [pem('key'), REFUSED],
  ['/nowhere.pem', /^Cannot start: --tls-cert and --tls-key .*got ENOENT.*$/],
])('--tls-cert %s: one clear line and exit code 2', async (cert, line) => {
  const { code, stderr } = await runDemo(['--tls-cert', cert, '--tls-key', pem('key')]);
  expect([code, stderr.split('\n').length]).toEqual([2, 2]);
  expect(stderr.trimEnd()).toMatch(line);
});

test.each(['cluster', 'socket'])(
  '--accept %s: a session that began with one process goes on with another',
  async (accept) => {
    const { url } = await startDemo(['--accept', accept, '--workers', '2', ...flags]);
    const { hostname: host, port } = new URL(url);
    const workers = new Set<string | undefined>();
    let session: Buffer | undefined;
    // The first begins the session, the others take it up wherever they come.
    for (let index = 0; index < 8; index++) {
      const options = { host, port: Number(port), ...client, ...(session && { session }) };
      const socket = tls.connect(options);
      socket.once('session', (begun) => {
        session ??= begun;
      });
      const reused = once(socket, 'secureConnect').then(() => socket.isSessionReused());
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      const answer = Buffer.concat(await socket.toArray()).toString();
      workers.add(/x-worker: (\d+)/i.exec(answer)?.[1]);
      expect(await reused).toBe(index > 0);
    }
    expect(workers.size).toBe(2);
  },
);
