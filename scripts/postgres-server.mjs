// A temporary PostgreSQL server: on a free loopback port, in a temporary folder, with a password.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './shared/beside.mjs';

const DEBIAN = '/usr/lib/postgresql';
const START_MS = 60_000;

/** Returns the folder of PostgreSQL's programs (or POSTGRES_BIN); `undefined` if it is not installed. */
export function postgresPrograms() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders = [
    process.env.POSTGRES_BIN ?? '',
    ...versions.sort((a, b) => b - a).map((version) => `${DEBIAN}/${version}/bin`),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return folders.find((folder) => folder && existsSync(join(folder, 'initdb')));
}

/** Starts an empty server. Resolves when it accepts connections. Its `close` leaves nothing behind. */
export async function startPostgres() {
  const programs = postgresPrograms();
  if (programs === undefined) {
    throw new Error('Cannot start PostgreSQL: initdb is neither in POSTGRES_BIN nor on PATH');
  }
  const owner = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const data = join(folder, 'data');
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  for (const path of [folder, passwordFile]) if (owner) chownSync(path, owner.uid, owner.gid);
  const port = await freePort();
  let server;
  const runs = () => server !== undefined && server.exitCode === null && server.signalCode === null;

  async function start() {
    if (runs()) return;
    server = spawn(
      join(programs, 'postgres'),
      // Without durability, and so faster.
      ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', '', '-F'],
      { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    );
    let log = '';
    const timer = setTimeout(() => server.kill('SIGQUIT'), START_MS);
    for await (const text of server.stderr
      .setEncoding('utf8')
      .iterator({ destroyOnReturn: false })) {
      log += text;
      if (log.includes('ready to accept connections')) break;
    }
    clearTimeout(timer);
    if (!log.includes('ready to accept connections')) {
      throw new Error(`Cannot start PostgreSQL: the server does not get ready: ${log}`);
    }
    server.stderr.resume();
  }

  /** SIGINT ends sessions at once and shuts down in order, SIGQUIT ends everything at once. */
  async function stop(signal = 'SIGINT') {
    if (!runs()) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  async function close() {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    execFileSync(
      join(programs, 'initdb'),
      ['-D', data, '-U', 'demo', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '-N'].concat([
        '-E',
        'UTF8',
        '--no-locale',
      ]),
      { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `postgres://demo:${password}@127.0.0.1:${port}/postgres`, start, stop, close };
}

/** PostgreSQL refuses to run as root, so it runs as the user of its package, or as the unprivileged user. */
function unprivileged() {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((what) =>
        Number(execFileSync('id', [what, user], { stdio: ['ignore', 'pipe', 'ignore'] })),
      );
      return { uid, gid };
    } catch {
      // No such user.
    }
  }
  throw new Error('Cannot start PostgreSQL as root: there is no user postgres or nobody');
}
