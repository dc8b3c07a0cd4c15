// nginx in front of unix sockets, with one process per core; it streams bodies.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { reportReady } from './report-ready.ts';
import { startUnixWorkers } from './unix-workers.ts';

const [count, folder = ''] = process.argv.slice(2);
const workers = await startUnixWorkers(folder, Number(count));
const port = await freePort();
// Started by root, nginx would run its processes as a user without access to the folder.
const user = process.getuid?.() === 0 ? 'user root;' : '';
const file = join(folder, 'nginx.conf');
writeFileSync(
  file,
  `
${user} daemon off; worker_processes ${availableParallelism()}; pid ${folder}/nginx.pid; error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off; client_max_body_size 0; keepalive_requests 10000000; keepalive_timeout 60s;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  upstream workers { ${workers.map(({ path }) => `server unix:${path};`).join(' ')} keepalive 256; }
  server {
    listen 127.0.0.1:${port} backlog=511;
    location / {
      proxy_pass http://workers; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_request_buffering off;
    }
  }
}`,
);
const nginx = spawn('nginx', ['-c', file, '-p', folder], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.on('exit', () => nginx.kill());
const fronts = await processesOf(nginx.pid ?? 0);
reportReady({ port, fronts, workers: workers.map(({ pid }) => pid) });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Resolves with a process and its children when all of them run. */
async function processesOf(pid: number): Promise<number[]> {
  for (;;) {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const children = text === '' ? [] : text.split(' ').map(Number);
    if (children.length === availableParallelism()) return [pid, ...children];
    await setTimeout(10);
  }
}
