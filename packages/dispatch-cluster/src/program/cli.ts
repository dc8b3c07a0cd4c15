#!/usr/bin/env node
// The supervisor as a program, for those who write none: `npx @ticketing/dispatch-cluster server.js --workers 4`.

import { existsSync } from 'node:fs';
import { basename, extname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exitCodeOf, FlagError, readCommandLine, type Stated, stated } from '@ticketing/cli-kit';
import type { ClusterOptions } from '../cluster-options.ts';
import type { Supervisor } from '../supervisor.ts';
import { command } from './command.ts';

type Flags = Stated<(typeof command)['flags']>;

process.exitCode = await main(process.argv.slice(2));

/** Runs the command. Resolves when the workers serve, or with the exit code of what went wrong: 2 for wrong use, else 1. */
async function main(argv: readonly string[]): Promise<number | undefined> {
  const at = argv.indexOf('--');
  const own = at < 0 ? argv : argv.slice(0, at);
  const args = at < 0 ? [] : argv.slice(at + 1);
  try {
    const { settings, words } = readCommandLine(command, own);
    const flags = stated(settings);
    const program = programOf(words);
    // Help and wrong flags do not wait for the supervisor.
    const { startCluster } = await import('../cluster-supervisor.ts');
    const supervisor = startCluster(optionsOf(program, args, flags));
    return await serve(supervisor, program, flags);
  } catch (error) {
    const isOption = error instanceof TypeError || error instanceof RangeError;
    const code = exitCodeOf(isOption ? new FlagError(error.message) : error);
    if (code === undefined) throw error;
    return code;
  }
}

function programOf(words: readonly string[]): string {
  const [given, more] = words;
  if (given === undefined || more !== undefined) {
    const got = more === undefined ? 'none' : words.join(' ');
    throw new FlagError(
      `Cannot ${command.verb}: one program must be given, such as server.js, got ${got}; its own arguments follow --`,
    );
  }
  const path = resolve(given);
  if (existsSync(path)) return path;
  throw new FlagError(`Cannot ${command.verb}: there is no program ${given}`);
}

function optionsOf(program: string, args: readonly string[], flags: Flags): ClusterOptions {
  const { workers, port, graceMs, lameDuckMs, startTimeoutMs, heartbeatMs } = flags;
  const { maxMemoryMb, maxRequests, inspect, nodeOptions } = flags;
  const adopter = new URL(`./program-worker${extname(import.meta.url)}`, import.meta.url);
  return {
    entry: pathToFileURL(program),
    workers,
    args,
    startTimeoutMs,
    heartbeatMs,
    shutdown: { graceMs, lameDuckMs },
    recycle: {
      requests: maxRequests,
      rssBytes: maxMemoryMb === undefined ? undefined : maxMemoryMb * 1024 * 1024,
    },
    watch: flags.watchPaths?.map((path) => pathToFileURL(resolve(path))) ?? flags.watch,
    execArgv: [
      `--import=${adopter.href}`,
      ...(inspect ? ['--inspect=127.0.0.1:0'] : []),
      ...(nodeOptions?.split(' ').filter((option) => option !== '') ?? []),
    ],
    ...(port !== undefined && { env: { ...process.env, PORT: String(port) } }),
    name: basename(program),
    signals: true,
  };
}

/** Reports what happens to the workers. Resolves when they serve, or with 1 after the reason why they do not. */
async function serve(
  supervisor: Supervisor,
  program: string,
  { port: wanted }: Flags,
): Promise<number | undefined> {
  const { events } = supervisor;
  const isClosing = (): boolean => supervisor.state === 'draining' || supervisor.state === 'closed';
  events.on('worker-exit', ({ workerId, exitCode, signal }) => {
    if (isClosing() || exitCode === 0) return;
    report(`worker ${workerId} ended with ${signal ?? `code ${exitCode}`}`);
  });
  events.on('files-changed', ({ paths }) => {
    report(`changed ${paths.map((path) => relative('', path)).join(', ')}: reloading`);
  });
  events.on('reload-failed', ({ error }) => report(`reload failed: ${textOf(error)}`));
  events.on('watch-failed', ({ error }) => report(`watch failed: ${textOf(error)}`));
  const name = relative('', program);
  try {
    await supervisor.ready();
  } catch (error) {
    return failed(`${textOf(error)}; ${name} must let a server listen, or call \`clusterWorker\``);
  }
  if (isClosing()) return undefined;
  const { address } = supervisor.workers[0] ?? {};
  const port = typeof address === 'object' ? address.port : undefined;
  if (wanted !== undefined && port !== wanted) {
    return failed(
      `${name} listens on ${port ?? address}, not on --port ${wanted}: it must read \`process.env.PORT\``,
    );
  }
  const where = port === undefined ? address : `port ${port}`;
  process.stdout.write(`listening on ${where} with ${supervisor.workers.length} workers\n`);
  return undefined;

  async function failed(reason: string): Promise<number> {
    report(`Cannot ${command.verb}: ${reason}`);
    await supervisor.close();
    return 1;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function report(text: string): void {
  process.stderr.write(`${text}\n`);
}
