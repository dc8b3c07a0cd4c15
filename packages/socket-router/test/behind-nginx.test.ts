import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, testProgram, until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { createSocketRouter } from '../src/index.ts';
import { askWorker } from './clients.ts';
import { byKey, keyed, keys } from './keyed-workers.ts';
import { openRouter } from './router-fixture.ts';

const nginx = testProgram({
  programs: ['nginx'],
  programVariable: 'NGINX_BIN',
  install: 'nginx-light',
});

/** Starts nginx, which keeps one connection to the router and sends the requests of all clients on it. Returns its port. */
async function startNginx(program: string, routerPort: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 64; }
http { access_log off; ${paths}
  upstream router { server 127.0.0.1:${routerPort}; keepalive 1; }
  server { listen 127.0.0.1:${port};
    location / { proxy_pass http://router; proxy_http_version 1.1; proxy_set_header Connection ""; } } }
`,
  );
  const child = spawn(
    program,
    [
      '-p',
      folder,
      '-c',
      join(folder, 'nginx.conf'),
      '-e',
      join(folder, 'error.log'),
      '-g',
      'daemon off;',
    ],
    { stdio: 'ignore' },
  );
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true });
  });
  await until(
    async () => (await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)) !== undefined,
    'nginx',
  );
  return port;
}

test.skipIf(nginx === undefined).each(['forward', 'close'] as const)(
  'behind nginx, which keeps connections, each user reaches the worker of his key with laterRequests %s [own-answer]',
  async (laterRequests) => {
    const { port, pids } = await openRouter({ ...byKey, laterRequests });
    const proxied = await startNginx(nginx as string, port);
    const reached = [];
    // User after user, so that a kept connection has requests of all of them.
    for (let round = 0; round < 3; round += 1) {
      for (const key of keys) reached.push((await askWorker(proxied, keyed(key ?? ''))).pid);
    }
    expect(reached).toEqual([...pids(), ...pids(), ...pids()]);
  },
);

test.skipIf(nginx === undefined)(
  'behind nginx laterRequests connection sends all users to the worker of the first, which is why it has to be chosen',
  async () => {
    const { port } = await openRouter({ ...byKey, laterRequests: 'connection' });
    const proxied = await startNginx(nginx as string, port);
    const reached = new Set<number>();
    for (const key of [...keys, ...keys]) {
      reached.add((await askWorker(proxied, keyed(key ?? ''))).pid);
    }
    expect(reached.size).toBe(1);
    const workers = { subscribe: () => () => {} };
    expect(() => createSocketRouter({ workers, route: byKey.route })).toThrow(
      /`laterRequests` must be forward, close or connection with `route`/,
    );
    await createSocketRouter({ workers, route: byKey.route, mode: 'passthru' }).close();
    await createSocketRouter({ workers, route: byKey.route, protocol: 'tls-sni' }).close();
    await createSocketRouter({ workers }).close();
  },
);
