import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

export const root: URL = new URL('../', import.meta.url);
export const readme: string = await readFile(new URL('README.md', root), 'utf8');
export const snippets: readonly string[] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(
  (match) => match[1] as string,
);
/** The two files of the example, and three additions to its program: a job, a port for liveness, metrics. */
export const [server = '', main = '', job = '', live = '', metrics = '']: readonly string[] =
  snippets;

export async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** The folder in which a file of tests runs the example: not in node_modules, where Node runs no TypeScript. */
export function exampleIn(name: string) {
  const folder = new URL(`test/.readme/${name}/`, root);
  beforeAll(() => mkdir(folder, { recursive: true }));
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs the program beside a server, with two workers in place of four; it prints `ready` when it is. */
  const run = async (name: string, program: string, text = main): Promise<ChildProcess> => {
    await writeFile(new URL(`${name}-server.ts`, folder), program);
    const file = new URL(`${name}.ts`, folder);
    const own = text
      .replace('./server.ts', `./${name}-server.ts`)
      .replace('workers: 4', 'workers: 2');
    await writeFile(file, `${own}console.log('ready');\n`);
    const args = ['--conditions=@ticketing/source', fileURLToPath(file)];
    const primary = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    // After a failure the program would live on.
    onTestFinished(() => void primary.kill('SIGKILL'));
    return primary;
  };
  return Object.assign(run, { folder });
}

/** Headers of a request whose connection is not kept: a kept one would have the time of the lame duck. */
export const headers: { readonly headers: { readonly connection: 'close' } } = {
  headers: { connection: 'close' },
};
