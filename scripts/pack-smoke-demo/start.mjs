// Starts every way of the built demo to accept connections and to dispatch work, in a folder without its sources, as its users
// do: a search, a page and its script, a program's answer to `--help`, an end by SIGTERM with code 0.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

// Their table needs node:sqlite, which Node 20 lacks.
const WORMS = Number(process.versions.node.split('.')[0]) < 24 ? '0' : '20';
const PROGRAMS = 'node_modules/demo-server/dist/';
const WAYS = [
  [],
  ['--dispatch', 'fork'],
  ['--accept', 'cluster', '--workers', '2', '--dispatch', 'piscina'],
  ['--accept', 'socket', '--workers', '2', '--coalesce', 'machine'],
  ['--accept', 'passthru', '--workers', '2', '--coalesce', 'on'],
];

for (const program of ['main.js', 'host.js']) {
  const { status, stdout } = spawnSync(process.execPath, [PROGRAMS + program, '--help']);
  assert.equal(status, 0, `${program} --help`);
  assert.match(String(stdout), /--/);
}
for (const flags of WAYS) {
  const child = spawn(
    process.execPath,
    [`${PROGRAMS}main.js`, '--port', '0', '--worms', WORMS, ...flags],
    {
      env: { PATH: process.env.PATH, DEADLINE_MS: '10000' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exit = once(child, 'exit');
  let output = '';
  for await (const data of child.stdout) {
    output += data;
    if (/^processes /m.test(output)) break;
  }
  const [, url] = /^ticketing +(http\S+)\//m.exec(output) ?? [];
  assert.ok(url, `the demo does not start with ${flags.join(' ')}`);
  const search = await (await fetch(`${url}/search?origin=Madrid&destination=Barcelona`)).json();
  assert.ok(search.journeys.length > 0, 'a search has journeys');
  const page = await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text();
  const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? [];
  assert.equal((await fetch(url + script)).status, 200, 'the page has its script');
  child.stdout.resume();
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
  console.log(`node ${process.version}: the built demo serves and ends ${flags.join(' ')}`);
}
