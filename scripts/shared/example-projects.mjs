// The examples that are projects of their own: copied outside a repository, and run there as their readers do.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
// Guards against hanging tests only.
const SCRIPT_TIMEOUT_MS = 180_000;

/** Returns the names of the examples that are projects of their own: those with an `src` folder. */
export function exampleNames() {
  return readdirSync(examples)
    .filter((name) => existsSync(join(examples, name, 'src')))
    .sort();
}

/** Copies an example, of this repository or of a clone of it, into a folder. Returns the path of the copy. */
export function copyExample(name, destination, from = examples) {
  const folder = join(destination, name);
  cpSync(join(from, name), folder, {
    recursive: true,
    filter: (path) => !/^(node_modules|dist)$/.test(basename(path)),
  });
  return folder;
}

/** Lets a project install tarballs where it names our packages, and where these name each other. */
export function dependOnTarballs(folder, tarballs) {
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const specs = new Map([...tarballs].map(([name, tarball]) => [name, `file:${tarball}`]));
  for (const wanted of [manifest.dependencies, manifest.devDependencies ?? {}]) {
    for (const name of Object.keys(wanted)) if (specs.has(name)) wanted[name] = specs.get(name);
  }
  manifest.overrides = Object.fromEntries(specs);
  writeFileSync(path, JSON.stringify(manifest));
}

/**
 * Runs a script of an example with a Node in front of all others. Returns how many tests passed in how many seconds, and whether
 * the script ended well; prints its output if not.
 */
export function runExampleScript(folder, script, node) {
  const started = performance.now();
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', script], {
    cwd: folder,
    encoding: 'utf8',
    env,
    timeout: SCRIPT_TIMEOUT_MS,
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.stdout.write(`${stdout}${stderr}`);
  return {
    ok: status === 0,
    passed: Number(/^(?:#|ℹ) pass (\d+)/m.exec(stdout)?.[1] ?? 0),
    seconds: ((performance.now() - started) / 1000).toFixed(1),
  };
}
