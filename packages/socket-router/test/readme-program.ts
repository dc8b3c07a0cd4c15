import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { execArgv } from './worker-processes.ts';

export const root: URL = new URL('../', import.meta.url);
/** Files of the same programs run at the same time. */
const folder = new URL(`test/.readme/${process.pid}/`, root);
export const readme: string = await readFile(new URL('README.md', root), 'utf8');
export const snippets: readonly string[] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(
  (match) => match[1] as string,
);

/** Runs a program of the README, with two workers in place of four. The program reports its port, and closes on a message. */
export async function runSnippets(name: string): Promise<{ program: ChildProcess; port: number }> {
  await mkdir(folder, { recursive: true });
  onTestFinished(() => rm(folder, { recursive: true }));
  const [router = '', worker = '', rooms = ''] = snippets;
  const report = `
process.send(port);
process.once('message', async () => { await router.close(); process.disconnect(); });
`;
  const listening = `
await router.ready();
const { port } = await router.listen({ port: 0 });
`;
  const own = (text: string) => text.replace(', 4)', ', 2)').replace('hash % 4', 'hash % 2');
  await writeFile(new URL('router.js', folder), own(router.replace('8080', '0')) + report);
  await writeFile(new URL('rooms.js', folder), own(rooms) + listening + report);
  await writeFile(new URL('worker.js', folder), worker);
  await writeFile(new URL('next.js', folder), worker.replace('`${', '`next ${'));
  const program = fork(new URL(name, folder), { execArgv: [...execArgv] });
  onTestFinished(() => void program.kill('SIGKILL'));
  const [port] = await once(program, 'message');
  return { program, port };
}
