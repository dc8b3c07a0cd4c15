import { execFileSync, spawnSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startDemo } from '../demo.ts';

const hasPrlimit = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0;

/** Paths that load something at their first request. */
const LAZY = [
  '/',
  '/docs',
  '/docs/static/index.css',
  '/stations?text=madr',
  '/stations/uic:7160000',
];

test.skipIf(!hasPrlimit)(
  'what is asked for first without descriptors is a 503, and is answered once there are some',
  async () => {
    const { url, child } = await startDemo(['--dispatch', 'in-process']);
    const pid = String(child.pid);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ask = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(url + path, { agent, headers: { accept: 'text/html,*/*' } }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode));
        })
          .once('error', reject)
          .end();
      });
    expect(await ask('/healthz')).toBe(200);
    const limit = (soft: string) => execFileSync('prlimit', ['--pid', pid, `--nofile=${soft}:`]);
    // What is open stays open.
    limit('5');
    for (const path of LAZY)
      expect([path, await ask(path)]).toEqual([path, expect.toBeOneOf([200, 503])]);
    expect(await ask('/docs')).toBe(503);
    limit('1024');
    for (const path of LAZY) expect([path, await ask(path)]).toEqual([path, 200]);
  },
);
