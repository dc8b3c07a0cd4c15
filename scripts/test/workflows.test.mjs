import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = `${root}.github/workflows/`;
const workflows = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(folder + name, 'utf8'),
}));
const gate = readFileSync(`${root}.ci/run`, 'utf8');

/** The tasks that `bootstrap.mjs` prints for one that it does not have. */
const tasks = /<(.*)>/
  .exec(
    spawnSync(process.execPath, [`${root}scripts/bootstrap.mjs`, 'none'], { encoding: 'utf8' })
      .stderr,
  )[1]
  .split('|');

test('each task that a workflow or the gate calls is one of bootstrap.mjs', () => {
  for (const { name, text } of [...workflows, { name: '.ci/run', text: gate }]) {
    const called = [...text.matchAll(/bootstrap\.mjs ([\w:-]+)/g)].map(([, task]) => task);
    expect(called.length, name).toBeGreaterThan(0);
    expect(tasks, name).toEqual(expect.arrayContaining(called));
  }
});

test('each task that a workflow calls is called by the gate too, but for the release; npm test builds', () => {
  const called = workflows.flatMap(({ text }) =>
    [...text.matchAll(/bootstrap\.mjs ([\w:-]+)/g)].map(([, task]) => task),
  );
  const elsewhere = ['release', 'build'];
  for (const task of called.filter((task) => !elsewhere.includes(task))) {
    expect(gate).toMatch(new RegExp(`(bootstrap\\.mjs |pnpm run |scripts/)${task}\\b`));
  }
});

test('each action is pinned by the commit of a release, and no step keeps the credentials of the checkout', () => {
  for (const { text } of workflows) {
    const used = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action);
    for (const action of used)
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(text.split('persist-credentials: false').length).toBe(
      text.split('actions/checkout').length,
    );
  }
});

test('a release signs its provenance', () => {
  const { text } = workflows.find(({ name }) => name === 'release.yml');
  expect(text).toMatch(/id-token: write/);
  expect(text).toMatch(/bootstrap\.mjs release\n +env:\n +NPM_CONFIG_PROVENANCE: ["']true["']/);
});

test('pnpm is the one that packageManager names, and its tarballs are pinned by digest', () => {
  const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const lock = JSON.parse(readFileSync(`${root}scripts/pnpm/package-lock.json`, 'utf8'));
  const { pnpm } = lock.packages[''].dependencies;
  expect(packageManager).toBe(`pnpm@${pnpm}`);
  const installed = Object.entries(lock.packages).filter(([path]) => path !== '');
  expect(installed.length).toBeGreaterThan(1);
  for (const [, { version, integrity }] of installed) {
    expect(version).toBe(pnpm);
    expect(integrity).toMatch(/^sha512-/);
  }
});
