import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createForkDispatcher, type ForkOptions } from '../../src/index.ts';

const module = new URL('../fixtures/tasks.ts', import.meta.url);
const execArgv = ['--conditions=@ticketing/source'];
const PERMISSION = process.version.startsWith('v20.')
  ? '--experimental-permission'
  : '--permission';
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

function create(options: ForkOptions) {
  const dispatcher = createForkDispatcher<typeof import('../fixtures/tasks.ts')>(module, {
    max: 1,
    execArgv,
    ...options,
  });
  onTestFinished(() => dispatcher.close());
  return dispatcher;
}

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'dispatch-fork-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** True if another user may read the sources, which workers load. */
function mayRead(uid: number): boolean {
  const code = `require('node:fs').accessSync(${JSON.stringify(fileURLToPath(module))})`;
  return spawnSync(process.execPath, ['-e', code], { uid }).status === 0;
}

test('cwd is the folder of the workers, as a path or a URL, and not ours', async () => {
  const path = folder();
  const before = process.cwd();
  expect(await create({ cwd: path }).run('where')).toBe(path);
  expect(await create({ cwd: pathToFileURL(path) }).run('where')).toBe(path);
  expect(await create({}).run('where')).toBe(before);
  expect(process.cwd()).toBe(before);
});

const program = fileURLToPath(new URL('../fixtures/finishing-program.ts', import.meta.url));

test('a program that may read and start processes, and write nothing, has workers', () => {
  const permissions = [PERMISSION, '--allow-fs-read=*', '--allow-child-process'];
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...permissions, ...execArgv, program],
    { encoding: 'utf8' },
  );
  expect([stderr.replace(/^.*SecurityWarning.*\n.*\n/gm, ''), status]).toEqual(['', 0]);
  expect(stdout).toMatch(/^\d+\n$/);
});

test.each(['options', 'NODE_OPTIONS'])(
  'with cwd the paths in %s of the program belong to its own folder',
  (where) => {
    const here = folder();
    writeFileSync(join(here, 'set up.mjs'), 'globalThis.isSetUp = true;');
    writeFileSync(join(here, '.env'), 'FROM_FILE=read');
    const tasks = pathToFileURL(join(here, 'tasks.mjs'));
    writeFileSync(
      tasks,
      `import { defineTasks } from '${import.meta.resolve('@ticketing/dispatch')}';
export default defineTasks({ seen: () => [globalThis.isSetUp, process.env.FROM_FILE, process.cwd()] });`,
    );
    const main = join(here, 'main.mjs');
    writeFileSync(
      main,
      `import { createForkDispatcher } from '${new URL('../../src/index.ts', import.meta.url)}';
const dispatcher = createForkDispatcher(new URL('${tasks}'), { max: 1, cwd: '/' });
console.log(JSON.stringify(await dispatcher.run('seen')));
await dispatcher.close();`,
    );
    const isOption = where === 'options';
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        ...execArgv,
        ...(isOption ? ['--import', './set up.mjs'] : []),
        '--env-file=.env',
        'main.mjs',
      ],
      {
        cwd: here,
        encoding: 'utf8',
        env: {
          ...process.env,
          FROM_FILE: undefined,
          ...(!isOption && { NODE_OPTIONS: '--import "./set up.mjs"' }),
        },
      },
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([true, 'read', '/']);
  },
);

test('a folder that is gone is the reason of the failed starts', async () => {
  const path = folder();
  const dispatcher = create({ cwd: path, restart: { maxFailures: 0 } });
  expect(await dispatcher.run('where')).toBe(path);
  rmSync(path, { recursive: true });
  await expect(dispatcher.reload()).rejects.toThrow(
    `Cannot start worker: the folder of \`cwd\` is gone: ${path}`,
  );
});

test('execPath is the Node that runs the workers', async () => {
  const path = join(folder(), 'node');
  const node = process.execPath;
  try {
    symlinkSync(node, path);
  } catch {
    copyFileSync(node, path);
  }
  expect(await create({ execPath: path }).run('execPath')).toBe(realpathSync(path));
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' });
  expect(version.trim()).toBe(process.version);
});

test('an execPath that is no program opens the circuit, which names it', async () => {
  const dispatcher = create({ execPath: '/nothing/node', restart: { maxFailures: 0 } });
  await expect(dispatcher.run('pid')).rejects.toThrow(
    'Workers keep failing: Worker ended before it had answered a call: spawn /nothing/node ENOENT',
  );
});

test.skipIf(!isRoot)('gid and uid become ids of the workers', async () => {
  const before = [process.getuid?.(), process.getgid?.()];
  expect(await create({ gid: NOBODY }).run('ids')).toEqual([0, NOBODY]);
  if (mayRead(NOBODY)) {
    expect(await create({ uid: NOBODY, gid: NOBODY }).run('ids')).toEqual([NOBODY, NOBODY]);
  }
  expect([process.getuid?.(), process.getgid?.()]).toEqual(before);
});

test.skipIf(isRoot)(
  'a user that we may not become opens the circuit, whose error has the reason',
  async () => {
    const dispatcher = create({ uid: 0, restart: { maxFailures: 0 } });
    await expect(dispatcher.run('pid')).rejects.toThrow('EPERM');
  },
);
