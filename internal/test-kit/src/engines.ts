import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** An engine: its program, its start and its questions. A new engine is one row. */
interface Engine extends TestProgram {
  readonly urlVariable: string;
  readonly scheme: string;
  argumentsFor(listen: Listening): string[];
  /** Line that the engine logs when it accepts connections. A connection proves less: another server may listen there. */
  readonly ready: string;
  /** Asks for the number of connections that the server has had, the asking ones included. */
  readonly question: string;
  connectionsIn(answer: string): number | undefined;
}

interface Listening {
  readonly host: string;
  readonly port: number;
  readonly folder: string;
  /** A configuration file. */
  readonly config: string | undefined;
}

export type EngineName = 'nats' | 'redis';

const ENGINES: Record<EngineName, Engine> = {
  nats: {
    programs: ['nats-server'],
    programVariable: 'NATS_SERVER_BIN',
    urlVariable: 'TEST_NATS_URL',
    scheme: 'nats',
    argumentsFor: ({ host, port, config }) => [
      ...['-a', host, '-p', String(port)],
      ...(config === undefined ? [] : ['-c', config]),
    ],
    ready: 'Server is ready',
    question: '',
    connectionsIn: (answer) => {
      const id = /"client_id":(\d+)/.exec(answer)?.[1];
      return id === undefined ? undefined : Number(id);
    },
  },
  redis: {
    programs: ['valkey-server', 'redis-server'],
    programVariable: 'REDIS_SERVER_BIN',
    urlVariable: 'TEST_REDIS_URL',
    scheme: 'redis',
    argumentsFor: ({ host, port, folder, config }) => [
      ...(config === undefined ? [] : [config]),
      ...['--bind', host, '--port', String(port), '--dir', folder],
      ...['--save', '', '--appendonly', 'no'],
    ],
    ready: 'Ready to accept connections',
    question: 'INFO stats\r\n',
    connectionsIn: (answer) => {
      const total = /total_connections_received:(\d+)\r\n/.exec(answer)?.[1];
      return total === undefined ? undefined : Number(total);
    },
  },
};

/** Options of a server. */
export interface EngineOptions {
  /** Text of a configuration file. Default: none. */
  readonly config?: string;
  /** Loopback port. Default: a free one. */
  readonly port?: number;
  /** Arguments after our own. */
  readonly args?: readonly string[];
  /** Line that the server writes once it serves. Default: the line of its kind; a sentinel writes another line. */
  readonly ready?: string;
  /** Address to listen on. Default: 127.0.0.1. `connections` asks there. */
  readonly host?: string;
  /** A command that runs the program, such as `ip netns exec name`. Default: none. */
  readonly by?: readonly string[];
}

/** A server on the loopback interface, which leaves nothing on disk. */
export interface EngineServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Id of the process; `undefined` while the server does not run. */
  readonly pid: number | undefined;
  /** Starts the server again on the same port. Resolves when it answers. */
  start(): Promise<void>;
  /** Sends a signal, such as SIGSTOP, or SIGUSR2 for the lame duck mode of NATS. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the server by SIGKILL, or by another signal, and resolves when it has gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Replaces the configuration file, and makes the server read it. For NATS alone. */
  reload(config: string): void;
  /** Returns the number of connections so far, the one that asks included. Works without a password alone. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

const START_MS = 60_000;
const MAX_LOG = 16_384;
/** Another process can take a free port before the server does. */
const PORT_TRIES = 5;

/** A program that tests need, and that a developer may lack. */
export interface TestProgram {
  /** Names of the program, the best first; the last one is also that of Debian's package unless `install` names another. */
  readonly programs: readonly string[];
  /** Environment variable that may hold its path. */
  readonly programVariable: string;
  readonly install?: string;
}

/**
 * Returns the path of a program: from its variable, on PATH or in /usr/sbin; `undefined`, with one line on the console, where there
 * is none. @throws Error instead, with ENGINE_TESTS=required
 */
export function testProgram(program: TestProgram): string | undefined {
  const found = findProgram(program);
  const { programs, programVariable, install = programs.at(-1) } = program;
  if (found === undefined)
    miss(programs.join(' or '), `install ${install}, or set ${programVariable}`);
  return found;
}

/** Returns the path of an engine's program, by NATS_SERVER_BIN or REDIS_SERVER_BIN, as `testProgram` does. */
export function engineProgram(name: EngineName): string | undefined {
  return testProgram(ENGINES[name]);
}

/**
 * Returns where `scripts/with-engines.mjs` has a server: `TEST_NATS_URL` or `TEST_REDIS_URL`; `undefined`, with one line on the
 * console, without it. @throws Error instead, with ENGINE_TESTS=required
 */
export function engineUrl(name: EngineName): string | undefined {
  const { urlVariable } = ENGINES[name];
  const url = process.env[urlVariable] || undefined;
  if (url === undefined) miss(name, `needs ${urlVariable}, see scripts/with-engines.mjs`);
  return url;
}

/** Returns the variable in which tests look for the server's URL. */
export function engineUrlVariable(name: EngineName): string {
  return ENGINES[name].urlVariable;
}

/** Starts nats-server. @throws Error if it is not installed, or does not answer */
export function startNatsServer(options?: EngineOptions): Promise<EngineServer> {
  return startEngine('nats', options);
}

/** Starts valkey-server or redis-server. @throws Error if neither is installed, or it does not answer */
export function startRedisServer(options?: EngineOptions): Promise<EngineServer> {
  return startEngine('redis', options);
}

/** Starts an engine's server. @throws Error if it is not installed, or does not answer */
export async function startEngine(
  name: EngineName,
  { config, port: givenPort, args = [], host = '127.0.0.1', by = [], ready }: EngineOptions = {},
): Promise<EngineServer> {
  const engine = ENGINES[name];
  const program = findProgram(engine);
  if (program === undefined) {
    const { programs, programVariable } = engine;
    throw new Error(
      `Cannot start ${name}: ${programs.join(' and ')} are neither in ${programVariable} nor on PATH`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const configFile = config === undefined ? undefined : join(folder, 'server.conf');
  if (configFile !== undefined && config !== undefined) writeFileSync(configFile, config);
  const spawned = (port: number) => {
    const given = engine.argumentsFor({ host, port, folder, config: configFile });
    const [command = program, ...words] = [...by, program, ...given, ...args];
    return spawn(command, words, { cwd: folder });
  };
  let port = givenPort ?? (await freePort());
  let server: ReturnType<typeof spawned> | undefined;
  const runs = () => server !== undefined && server.exitCode === null && server.signalCode === null;
  const kill = () => {
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  // A test runner that ends early leaves neither server nor folder behind.
  process.on('exit', kill);

  async function start(): Promise<void> {
    if (runs()) return;
    const child = spawned(port);
    server = child;
    let log = '';
    const outcome = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
      const settle = (isReady: boolean) => {
        clearTimeout(timer);
        resolve(isReady);
      };
      for (const output of [child.stdout, child.stderr]) {
        output.setEncoding('utf8').on('data', (text) => {
          log = (log + text).slice(-MAX_LOG);
          if (log.includes(ready ?? engine.ready)) settle(true);
        });
      }
      child
        .once('close', () => settle(false))
        .once('error', (error) => {
          log += error;
        });
    });
    if (!(await outcome)) throw new Error(`Cannot start ${program} on port ${port}: ${log}`);
  }

  async function stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!runs() || server === undefined) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  async function close(): Promise<void> {
    await stop();
    process.off('exit', kill);
    rmSync(folder, { recursive: true, force: true });
  }

  for (let tries = givenPort === undefined ? PORT_TRIES : 1; ; tries -= 1) {
    try {
      await start();
      break;
    } catch (error) {
      if (tries === 1 || !/address already in use/i.test(String(error))) {
        await close();
        throw error;
      }
      port = await freePort();
    }
  }
  return {
    port,
    url: `${engine.scheme}://${host}:${port}`,
    get pid() {
      return runs() ? server?.pid : undefined;
    },
    start,
    stop,
    signal: (signal) => void server?.kill(signal),
    reload(text) {
      if (configFile === undefined) {
        throw new TypeError('Cannot reload a server: it was started without `config`');
      }
      writeFileSync(configFile, text);
      server?.kill('SIGHUP');
    },
    async connections() {
      const count = await ask({ host, port }, engine.question, engine.connectionsIn);
      if (count === undefined) throw new Error(`Cannot ask ${program}: it does not answer`);
      return count;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns a loopback port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('Cannot find a free port');
  return address.port;
}

function findProgram({ programs, programVariable }: TestProgram): string | undefined {
  const given = process.env[programVariable];
  if (given) return given;
  // Debian keeps servers where the path of an ordinary user does not lead.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return programs
    .flatMap((program) => folders.filter(Boolean).map((folder) => join(folder, program)))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function miss(name: string, remedy: string): void {
  if (process.env['ENGINE_TESTS'] === 'required') {
    throw new Error(`Cannot test with ${name}: ${remedy}`);
  }
  console.log(`skipped tests with ${name}: ${remedy}`);
}

/** Sends `text` over a connection of its own; resolves with what `read` makes of all that came, or `undefined` at its end. */
function ask<T>(
  address: { readonly host: string; readonly port: number },
  text: string,
  read: (answer: string) => T | undefined,
): Promise<T | undefined> {
  const socket = connect(address, () => void socket.write(text));
  let answer = '';
  return new Promise((resolve) => {
    socket.setEncoding('utf8').on('data', (piece) => {
      answer += piece;
      const value = read(answer);
      if (value === undefined) return;
      socket.destroy();
      resolve(value);
    });
    socket.on('error', () => {}).on('close', () => resolve(undefined));
  });
}
