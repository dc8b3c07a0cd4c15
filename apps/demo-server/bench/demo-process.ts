import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A demo server in a process of its own. */
export interface DemoServer {
  readonly url: string;
  readonly pid: number | undefined;
  /** Of the carriers that it asks. */
  readonly carriersUrl: string;
  /** Ends it, unless it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const programOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** None outlives the bench. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/**
 * Starts a server, by default from its sources, and resolves when it has printed its addresses.
 *
 * @throws Error with what it wrote, if it ends before
 */
export async function startServer(
  argv: readonly string[],
  { isBuilt = false }: { readonly isBuilt?: boolean } = {},
): Promise<DemoServer> {
  const main = programOf(isBuilt ? '../dist/main.js' : '../src/main.ts');
  const child = spawn(process.execPath, ['--conditions=@ticketing/source', main, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += chunk;
    // The addresses and what follows them are written at once.
    if (!/^processes /m.test(text)) continue;
    child.stdout.resume();
    const [, url = ''] = /^ticketing +(https?:\/\/[^/\s]+)/m.exec(text) ?? [];
    const [, carriersUrl = ''] = / carriers +(\S+)/.exec(text) ?? [];
    return { url, carriersUrl, pid: child.pid, stop };
  }
  throw new Error(`A server did not start: ${text}`);
}

/** Changes the plan of a carrier of the simulator that a server asks. */
export async function changePlan(
  { carriersUrl }: Pick<DemoServer, 'carriersUrl'>,
  carrier: string,
  patch: object,
): Promise<void> {
  const { status } = await fetch(`${carriersUrl}/plan/${carrier}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(patch),
  });
  if (status !== 200) throw new Error(`Cannot change ${carrier}: got status ${status}`);
}
