// The published packages for scripts that use them as their users do: packed, and installed outside the repository.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns `{ name, folder, manifest }` of each package that is published, of this repository or of a clone of it. */
export function publishedPackages(repository = root) {
  return readdirSync(join(repository, 'packages'))
    .map((name) => {
      const folder = join(repository, 'packages', name);
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return { name: manifest.name, folder, manifest };
    })
    .filter(({ manifest }) => !manifest.private);
}

/** Packs each published package into a folder. Returns the paths of the tarballs by name. Needs built packages. */
export function packPackages(destination) {
  return new Map(
    publishedPackages().map(({ name, folder, manifest }) => {
      checkBundle(folder);
      return [name, pack(folder, manifest, destination)];
    }),
  );
}

/** Packs what `pnpm build` writes of the demo into a folder. Returns the path of the tarball. */
export function packDemo(destination) {
  const folder = join(root, 'apps/demo-server');
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return pack(folder, manifest, destination);
}

function pack(folder, { name, version }, destination) {
  execFileSync('pnpm', ['pack', '--pack-destination', destination], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return join(destination, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

/** Fails if a package bundles anything but private packages of this repository: a missing dependency would go unnoticed. */
function checkBundle(folder) {
  for (const file of readdirSync(join(folder, 'dist'), { recursive: true })) {
    if (!file.endsWith('.js')) continue;
    const [path] =
      readFileSync(join(folder, 'dist', file), 'utf8').match(/^\/\/ .*node_modules\/.*$/m) ?? [];
    if (path !== undefined)
      throw new Error(`Cannot pack ${folder}: dist/${file} bundles ${path.slice(3)}`);
  }
}

/** Installs what the project in a folder depends on, and further packages. */
export function npmInstall(folder, specs = [], env = process.env) {
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  execFileSync('npm', ['install', ...quiet, ...specs], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
