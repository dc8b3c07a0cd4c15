#!/usr/bin/env node
// Runs the demo's image without an engine: each line of its Dockerfile in a folder that has what the base image has, then the image as
// a container on each Node: as process 1, as its user, on a root that can only be read: `containers.mjs [--nodes 20,26]`.
// Needs Linux, root, `unshare`, and packages of Debian; without them it does nothing, and fails if CONTAINER_TESTS=required.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeNodeSlim, writeNodeWithoutShell } from './containers/base-root.mjs';
import { buildImage } from './containers/build-image.mjs';
import { checkImage } from './containers/check-image.mjs';
import { whyNoRoots } from './containers/root-process.mjs';
import { installNode } from './shared/node-version.mjs';

const { values } = parseArgs({ options: { nodes: { type: 'string', default: '20,26' } } });
const root = fileURLToPath(new URL('..', import.meta.url));
const checkFleet = fileURLToPath(new URL('containers/check-fleet.mjs', import.meta.url));

const why = whyNoRoots();
if (why === undefined) await run();
else {
  console.error(`Cannot run the demo's image here: ${why}`);
  if (process.env.CONTAINER_TESTS === 'required') process.exitCode = 1;
}

async function run() {
  const outside = mkdtempSync(join(tmpdir(), 'ticketing-containers-'));
  const stages = new Map();
  const nodes = new Map();
  const nodeOf = (major) => {
    if (!nodes.has(major)) nodes.set(major, installNode(major, join(outside, `node-${major}`)));
    return nodes.get(major);
  };
  try {
    for (const major of values.nodes.split(',')) {
      const started = performance.now();
      const image = buildImage({
        dockerfile: join(root, 'apps/demo-server/containers/Dockerfile'),
        args: { NODE_MAJOR: major },
        copyContext,
        writeBase(base, folder, isLast) {
          const [, wanted] = /^node:(\d+)-slim$/.exec(base) ?? [];
          if (wanted === undefined) throw new Error(`Cannot build on ${base}: it is unknown here`);
          const write = isLast ? writeNodeWithoutShell : writeNodeSlim;
          write(folder, nodeOf(wanted));
        },
        mounts: settingsOfPackageManagers(),
        env: variablesOfPackageManagers(),
        outside,
        stages,
      });
      report(major, 'built', started);
      for (const [name, check] of Object.entries(checkImage)) {
        const begun = performance.now();
        await check(image);
        report(major, name, begun);
      }
      const begun = performance.now();
      const described = join(outside, `image-${major}.json`);
      writeFileSync(described, JSON.stringify(image));
      // In a network of its own: the ports of the compose file may be taken here.
      execFileSync('unshare', ['--net', '--', process.execPath, checkFleet, described, major], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      report(
        major,
        'the services of the compose file answer searches, lose a host, and end',
        begun,
      );
    }
  } finally {
    rmSync(outside, { recursive: true });
  }
}

function report(major, what, startedMs) {
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`container: Node ${major}, ${what}, ${seconds} s`);
}

/** Copies what git has or would add: what Dockerfile.dockerignore leaves. */
function copyContext(destination) {
  // Root may read the clone of another user.
  const list = [
    '-c',
    'safe.directory=*',
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '-z',
  ];
  const paths = execFileSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  for (const path of paths.split('\0')) {
    if (path === '' || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(destination, path)), { recursive: true });
    cpSync(join(root, path), join(destination, path), { verbatimSymlinks: true });
  }
}

/** Returns variables by which programs here find their registries and the authorities that these are certified by. */
function variablesOfPackageManagers() {
  const wanted =
    /^(npm_config_.*|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|https?_proxy|no_proxy)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => wanted.test(name)));
}

/** Returns mounts with this machine's settings of npm, so that the build installs from where it does. */
function settingsOfPackageManagers() {
  const settings = join(homedir(), '.npmrc');
  return existsSync(settings) ? [['read', settings, '/root/.npmrc']] : [];
}
