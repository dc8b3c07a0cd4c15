import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { FlagError } from '@ticketing/cli-kit';
import { createOrphanGuard, type OrphanGuard } from '@ticketing/dispatch/transport';
import {
  type Clock,
  createCircuit,
  DESCRIPTORS_OF_PROCESS,
  type Restart,
  requireDescriptors,
  systemClock,
} from '@ticketing/kit';

/** A NATS server that this process has started. */
export interface NatsServer {
  /** Address with the token. It stays the same when the server is started again. */
  readonly url: string;
  /** Id of the process; `undefined` while the server does not run. */
  readonly pid: number | undefined;
  close(): Promise<void>;
}

export interface NatsServerOptions {
  /** Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Gets a line when the server has ended, and when it fails to start again. */
  readonly log?: (line: string) => void;
  /** Clock for tests. Defaults: the platform's, a shell of its own. */
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly guard?: OrphanGuard;
}

const PROGRAM = 'nats-server';
const START_MS = 30_000;
const MAX_LOG = 16_384;
/** More ends than these within the time, and it is tried every five seconds. */
const RESTART: Restart = { backoffMs: [100, 5000], maxFailures: 5, withinMs: 10_000 };

/**
 * Starts a server on a free loopback port, and resolves when it listens. One that ends is started again, on the same port and
 * with the same token, so that its clients find it. Only who knows the token may connect. It leaves nothing on disk, and ends with
 * this process, however that ends.
 *
 * @throws FlagError if nats-server is not installed; Error with its log if it does not listen
 */
export async function startNatsServer({
  env = process.env,
  log = () => {},
  clock = systemClock,
  random = Math.random,
  guard = createOrphanGuard(),
}: NatsServerOptions = {}): Promise<NatsServer> {
  const program = findProgram(env);
  const token = randomBytes(16).toString('hex');
  const circuit = createCircuit(RESTART, random);
  /** Port of the first start; -1: any that is free. */
  let port = -1;
  let server: ChildProcess | undefined;
  let starting: Promise<void> | undefined;
  let timer: unknown;
  let isClosing = false;

  async function start(): Promise<void> {
    const child = launch({ program, token, port });
    server = child;
    const { pid } = child;
    if (pid !== undefined) guard.add(pid);
    const ended = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => {
        // Its number may be another process's soon.
        if (pid !== undefined) guard.remove(pid);
        resolve(String(signal ?? code));
      });
    });
    try {
      port = await portOf(child);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
    const since = clock.now();
    child.unref();
    (child.stderr as Socket).unref();
    void ended.then((how) => {
      if (isClosing) return;
      log(`${PROGRAM} ${pid} ended (${how}): it is started again on port ${port}`);
      if (clock.now() - since >= RESTART.withinMs) circuit.succeeded();
      startLater(new Error(`${PROGRAM} ended (${how})`));
    });
  }

  function startLater(error: unknown): void {
    const before = circuit.state;
    const decision = circuit.failed(clock.now(), error, false);
    if (before === 'closed' && decision.kind === 'open') {
      log(`${PROGRAM} fails to start; it is tried from time to time: ${(error as Error).message}`);
    }
    const ms = decision.kind === 'retry' ? decision.afterMs : decision.probeAfterMs;
    timer = clock.setTimeout(() => {
      circuit.probing();
      starting = start().catch((failure: unknown) => {
        if (!isClosing) startLater(failure);
      });
    }, ms);
    (timer as { unref?: () => void } | undefined)?.unref?.();
  }

  async function close(): Promise<void> {
    isClosing = true;
    clock.clearTimeout(timer);
    if (server !== undefined && runs(server)) {
      server.ref();
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
    }
    await starting;
    await guard.close();
  }

  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: `nats://${token}@127.0.0.1:${port}`,
    get pid() {
      return server !== undefined && runs(server) ? server.pid : undefined;
    },
    close,
  };
}

function launch(of: {
  readonly program: string;
  readonly token: string;
  readonly port: number;
}): ChildProcess {
  requireDescriptors(DESCRIPTORS_OF_PROCESS);
  const folder = mkdtempSync(join(tmpdir(), 'ticketing-demo-nats-'));
  const config = join(folder, 'server.conf');
  // File by file: to list a folder takes a descriptor, and there may be none.
  const remove = (): void => {
    rmSync(config, { force: true });
    if (existsSync(folder)) rmdirSync(folder);
  };
  const args = ['-c', config, '-a', '127.0.0.1', '-p', String(of.port)];
  try {
    // A token on the command line would be seen by every user of the machine.
    writeFileSync(config, `authorization { token: "${of.token}" }\n`, { mode: 0o600 });
    const child = spawn(of.program, args, {
      cwd: '/',
      // With a session of its own, so that Ctrl-C does not end it before the server that needs it.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.once('exit', remove).once('error', remove);
    // Once it has written a line it has read the file.
    child.stderr?.once('data', remove);
    return child;
  } catch (error) {
    remove();
    throw error;
  }
}

function runs({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
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
