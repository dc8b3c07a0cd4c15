import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { FlagError } from '@ticketing/cli-kit';
import { createOrphanGuard } from '@ticketing/dispatch/transport';

/** A NATS server that this process has started. */
export interface NatsServer {
  /** With its token. */
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

const PROGRAM = 'nats-server';
const START_MS = 30_000;
const MAX_LOG = 16_384;

/**
 * Starts a server on a free loopback port, and resolves when it listens. Only who knows its token may connect. It leaves nothing
 * on disk, and ends with this process, however that ends.
 *
 * @throws FlagError if nats-server is not installed; Error with its log if it does not listen
 */
export async function startNatsServer(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<NatsServer> {
  const program = findProgram(env);
  const token = randomBytes(16).toString('hex');
  const folder = mkdtempSync(join(tmpdir(), 'ticketing-demo-nats-'));
  const guard = createOrphanGuard();
  try {
    // A token on the command line would be seen by every user of the machine.
    const config = join(folder, 'server.conf');
    writeFileSync(config, `authorization { token: "${token}" }\n`, { mode: 0o600 });
    const server = spawn(program, ['-c', config, '-a', '127.0.0.1', '-p', '-1'], {
      cwd: '/',
      // With a session of its own, so that Ctrl-C does not end it before the server that needs it.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (server.pid !== undefined) guard.add(server.pid);
    const port = await portOf(server).catch(async (error) => {
      server.kill('SIGKILL');
      await guard.close();
      throw error;
    });
    server.unref();
    (server.stderr as Socket).unref();
    return {
      url: `nats://${token}@127.0.0.1:${port}`,
      pid: server.pid as number,
      async close() {
        if (server.exitCode === null && server.signalCode === null) {
          server.ref();
          const ended = once(server, 'exit');
          server.kill('SIGTERM');
          await ended;
        }
        guard.remove(server.pid as number);
        await guard.close();
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the path of the program: NATS_SERVER_BIN, on PATH, or in /usr/sbin, where Debian has it. @throws FlagError */
function findProgram(env: Readonly<Record<string, string | undefined>>): string {
  const given = env['NATS_SERVER_BIN'];
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter(Boolean), '/usr/sbin'];
  const paths = given ? [given] : folders.map((folder) => join(folder, PROGRAM));
  const found = paths.find(isProgram);
  if (found !== undefined) return found;
  const where = given
    ? `NATS_SERVER_BIN, which is ${given},`
    : 'NATS_SERVER_BIN, PATH and /usr/sbin';
  throw new FlagError(
    `Cannot start: --dispatch nats must have --nats-url, or ${PROGRAM}, which ${where} ${given ? 'does not run' : 'do not have'}`,
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Resolves with the port that a server has chosen, once it listens. */
async function portOf(server: ChildProcess): Promise<number> {
  let log = '';
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const fail = (why: string): void =>
        reject(new Error(`Cannot start ${PROGRAM}: ${why}: ${log}`));
      timer = setTimeout(() => fail(`it does not listen within ${START_MS} ms`), START_MS);
      server.once('error', (error) => fail(error.message));
      server.once('exit', (code, signal) => fail(`it ended (${signal ?? code})`));
      // Read to its end, so that the pipe never fills.
      server.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-MAX_LOG);
        const [, port] = /client connections on \S+:(\d+)/.exec(log) ?? [];
        if (port !== undefined) resolve(Number(port));
      });
    });
  } finally {
    clearTimeout(timer);
  }
}
