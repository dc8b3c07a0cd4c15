#!/usr/bin/env node
// Rehearses a release: `rehearse-release.mjs [--examples thumbnails,caching-proxy]`. A copy of this working tree gets its versions by
// changesets and publishes to a registry on this machine; the packages are installed from there by name, what was shipped is
// checked, and examples run on it. Nothing leaves this machine, and nothing is left on it. Needs built packages.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startRegistry, VERDACCIO } from './release/local-registry.mjs';
import { entriesOf, faultsOf, licencesIn } from './release/shipped-checks.mjs';
import { sizesOf, sizeTable } from './release/shipped-sizes.mjs';
import { copyExample, runExampleScript } from './shared/example-projects.mjs';
import { npmInstall, publishedPackages } from './shared/packages.mjs';

const { values } = parseArgs({
  options: { examples: { type: 'string', default: 'thumbnails,caching-proxy' } },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const outside = mkdtempSync(join(tmpdir(), 'ticketing-release-'));
const clone = join(outside, 'clone');
const faults = [];
let started = performance.now();

/** Prints what a step has done, and what it took. */
function done(step, ...lines) {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log([`${step} (${seconds} s)`, ...lines.map((line) => `  ${line}`)].join('\n'));
  started = performance.now();
}

function run(command, args, cwd, env = process.env) {
  try {
    return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    console.error(`${error.stdout}${error.stderr}`);
    throw new Error(`Cannot rehearse the release: ${command} ${args.join(' ')} failed`);
  }
}

/** Copies what Git has or would take of this tree, and what the build has made of it, as a repository of its own. */
function copyTree() {
  const listed = run('git', ['ls-files', '-co', '--exclude-standard', '-z'], root).split('\0');
  for (const path of listed.filter((path) => path !== '' && existsSync(join(root, path)))) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    cpSync(join(root, path), join(clone, path));
  }
  for (const { folder } of publishedPackages()) {
    const dist = join(folder, 'dist');
    if (!existsSync(dist)) throw new Error('Cannot rehearse the release: run `pnpm build` first');
    cpSync(dist, join(clone, folder.slice(root.length), 'dist'), { recursive: true });
  }
  const git = (...args) =>
    run('git', ['-c', 'user.name=release', '-c', 'user.email=', ...args], clone);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'as it is');
  run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts'], clone);
}

/** Installs packages by name in an empty folder. */
function installByName(names, { env }) {
  const user = join(outside, 'user');
  mkdirSync(user);
  writeFileSync(join(user, 'package.json'), JSON.stringify({ name: 'user', private: true }));
  npmInstall(user, names, env);
  return user;
}

/** Compiles an import of everything that the packages export, and checks their types, not those of other packages. */
function checkTypes(user, folders, { env }) {
  npmInstall(user, ['@types/node@22', 'fastify@5'], env);
  const entries = folders.flatMap(entriesOf);
  const imports = entries.map((entry, index) => `export * as entry${index} from '${entry}';`);
  writeFileSync(join(user, 'all.mts'), imports.join('\n'));
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const settings = ['--ignoreConfig', '--noEmit', '--types', 'node', '--target', 'es2023'];
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = spawnSync(tsc, [...settings, ...strict, '--module', 'nodenext', 'all.mts'], {
    cwd: user,
    encoding: 'utf8',
  });
  const own = /^(all\.mts|node_modules\/@ticketing\/).*error/;
  faults.push(...stdout.split('\n').filter((line) => own.test(line)));
  return entries.length;
}

// Ctrl-C ends the command that runs, for which this program cleans up.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => faults.push('interrupted'));

let registry;
try {
  const before = publishedPackages()[0].manifest.version;
  const changesets = readdirSync(join(root, '.changeset')).filter((file) => file.endsWith('.md'));
  copyTree();
  done(
    `Copied the working tree, with what the build made of ${publishedPackages().length} packages`,
  );

  // A tree that has its versions, as it is when it is published, has no changesets left.
  if (changesets.length > 0) {
    run('npm', ['run', '--silent', 'version-packages'], clone);
    run(
      'git',
      ['-c', 'user.name=release', '-c', 'user.email=', 'commit', '-qam', 'versions'],
      clone,
    );
  }
  const packages = publishedPackages(clone);
  const { version } = packages[0].manifest;
  done(`Versioned: ${before} to ${version}, by ${changesets.length} changesets`);

  registry = await startRegistry(join(outside, 'registry'));
  registry.mustBeUsedIn(clone);
  done(
    `Started verdaccio ${VERDACCIO} on loopback: npm and pnpm in the copy publish there, and nowhere else`,
  );

  run(process.execPath, ['scripts/release/publish.mjs'], clone, registry.env);
  const changed = run('git', ['status', '--porcelain', '--untracked-files=no'], clone);
  if (changed !== '') faults.push(`Publishing leaves changes: ${changed}`);
  const sizes = await sizesOf(
    packages.map(({ name }) => name),
    { version, url: registry.url },
  );
  done(`Published ${sizes.length} packages, each after those that it needs`);
  faults.push(...sizes.flatMap(({ faults }) => faults));

  const names = packages.map(({ name }) => name);
  const user = installByName(names, registry);
  const folders = names.map((name) => join(user, 'node_modules', name));
  done('Installed them by name in an empty folder');

  const hidden = [root.replace(/\/$/, ''), outside];
  faults.push(...folders.flatMap((folder) => faultsOf(folder, { version, hidden })));
  const { counts, others } = licencesIn(user);
  faults.push(...others.map((other) => `A dependency asks for more than to be named: ${other}`));
  const byCount = [...counts].sort(([, one], [, other]) => other - one);
  const dependencies = byCount.map(([licence, count]) => `${count} ${licence}`).join(', ');
  done('Checked files, links, manifests and licences', `dependencies by licence: ${dependencies}`);

  const entries = checkTypes(user, folders, registry);
  done(`Compiled an import of all ${entries} entries, with the types of the packages checked`);

  for (const name of values.examples.split(',')) {
    const folder = copyExample(name, outside, join(clone, 'examples'));
    npmInstall(folder, [], registry.env);
    const ok = runExampleScript(folder, 'build', process.execPath).ok;
    const test = ok ? runExampleScript(folder, 'test', process.execPath) : { ok, passed: 0 };
    if (!test.ok) faults.push(`Example ${name} fails`);
    done(`Example ${name}: installed by its own ranges, ${test.passed} tests pass`);
  }
  console.log(sizeTable(sizes));
  console.log(`Not rehearsed, since a registry on this machine signs nothing:
  npm audit signatures: needs the keys of the public registry
  npm publish --provenance: needs an identity token of the CI, and a repository that is the CI's: it is ${packages[0].manifest.repository.url}`);
} finally {
  await registry?.close();
  rmSync(outside, { recursive: true, force: true });
}
if (faults.length > 0) {
  console.error(`Not fit to be released:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  process.exitCode = 1;
} else {
  console.log('Fit to be released');
}
