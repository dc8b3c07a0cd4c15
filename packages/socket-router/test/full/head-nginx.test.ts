import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testProgram, until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { compareWay, readHead } from '../fixtures/compare-ways.ts';
import { hostileRequest } from '../fixtures/hostile-request.ts';
import { createRandom, fuzzSettings } from '../fixtures/random.ts';

const program = testProgram({ programs: ['nginx'], programVariable: 'NGINX_BIN' });
const { runs, seed } = fuzzSettings(4000);
const CONNECTIONS = 16;

test.skipIf(program === undefined)(
  `of ${runs} hostile requests nginx reads those that createHeadReader() takes as Node does, or refuses them [one-request]`,
  async () => {
    const { path, count } = await startNginx(program as string);
    const random = createRandom(seed);
    let left = runs;
    const next = (): Buffer | undefined => {
      while (left > 0) {
        left -= 1;
        const bytes = hostileRequest(random);
        if (readHead(bytes).kind === 'http1') return bytes;
      }
      return undefined;
    };
    const reports = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => compareWay({ kind: 'nginx', to: { path } }, next)),
    );
    expect(reports.flatMap(({ wrong }) => wrong)).toEqual([]);
    const answered = reports.reduce((sum, report) => sum + report.answered, 0);
    expect(answered).toBeGreaterThan(runs / 8);
    const unanswered = reports.reduce((sum, report) => sum + report.unanswered, 0);
    expect(count() - answered).toBeLessThanOrEqual(unanswered);
  },
  Math.max(120_000, runs * 20),
);

/** Starts nginx before a server that answers as `workers/witness-worker.mjs` does. */
async function startNginx(command: string): Promise<{ path: string; count: () => number }> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  let count = 0;
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      count += 1;
      const { method, url, rawHeaders } = request;
      const seen = { method, url, rawHeaders, body: Buffer.concat(chunks).toString('latin1') };
      const text = Buffer.from(JSON.stringify(seen)).toString('base64');
      response.writeHead(200, { 'x-seen': text, 'content-length': 0 }).end();
    });
  });
  server.listen(join(folder, 'worker'));
  await once(server, 'listening');
  const path = join(folder, 'nginx');
  mkdirSync(join(folder, 'temp'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log crit;
events { worker_connections 256; }
http {
  access_log off; ${temporary} proxy_buffer_size 32k; proxy_buffers 4 32k;
  server {
    listen unix:${path};
    location / {
      proxy_pass http://unix:${folder}/worker:;
      proxy_http_version 1.1;
      set $sent_host $http_host;
      if ($http_host = '') { set $sent_host none; }
      proxy_set_header Host $sent_host;
    }
  }
}
`,
  );
  const nginx = spawn(command, ['-c', join(folder, 'nginx.conf'), '-p', folder], {
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    const ended = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await ended;
    server.close();
    rmSync(folder, { recursive: true });
  });
  // Its file is there before it takes connections.
  await until(() => takesConnections(path));
  return { path, count: () => count };
}

async function takesConnections(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
