// Makes the root folder of a base image from what this machine has: no engine and no image registry is needed. The machine must
// run Debian or a relative of it.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Packages of Debian that its `slim` images have besides the essential ones. */
const OF_SLIM = ['apt', 'ca-certificates', 'libatomic1', 'libstdc++6', 'tzdata'];
/** Folders that `slim` images leave out. */
const NOT_IN_SLIM = /^\/usr\/share\/(doc|man|locale|info|lintian|bash-completion|zoneinfo)\//;
const MERGED = ['bin', 'sbin', 'lib', 'lib64'];

/**
 * Writes the root folder of `node:<major>-slim`: essential packages of Debian with apt, the given Node with npm, and the user `node`.
 * apt and npm have the settings of this machine, so that they install from where it does.
 * @param {string} root an empty folder
 * @param {string} node path of the program
 */
export function writeNodeSlim(root, node) {
  const installed = installedPackages();
  const essential = [...installed.values()].filter((each) => each.isEssential);
  const names = closure([...essential.map((each) => each.name), ...OF_SLIM], installed);
  copyPackages(root, names);
  for (const path of ['/etc/apt', '/usr/lib/apt/methods', '/usr/share/keyrings']) copy(root, path);
  writeNetwork(root);
  writePackageState(root, names);
  writeUsers(root);
  copyProgram(root, node);
  copy(root, npmFolder(), '/usr/local/lib/node_modules/npm');
  for (const name of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
  }
}

/**
 * Writes a root with what the programs of `node:<major>-slim` are linked with, and nothing else of it: without a shell and without
 * coreutils, the image's own programs show that they need neither.
 */
export function writeNodeWithoutShell(root, node) {
  const installed = installedPackages();
  copyPackages(
    root,
    closure(['libstdc++6', 'libatomic1', 'ca-certificates'], installed, isLibrary),
  );
  writeNetwork(root);
  writeUsers(root);
  copyProgram(root, node);
  const shells = ['sh', 'bash', 'dash'].filter((name) => existsSync(join(root, 'usr/bin', name)));
  if (shells.length > 0) throw new Error(`Cannot leave out the shell: ${shells} is a dependency`);
}

const isLibrary = (name) =>
  name.startsWith('lib') || name === 'gcc-12-base' || name === 'ca-certificates';

/** Copies a file, or a folder into the same folder of the root. */
function copy(root, path, to = path) {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  execFileSync('cp', ['--archive', '--no-target-directory', path, join(root, to)]);
}

/** Tells apt and dpkg which packages the root has. */
function writePackageState(root, names) {
  const folders = ['lib/apt/lists/partial', 'cache/apt/archives/partial', 'log/apt'];
  for (const path of [...folders, 'lib/dpkg/info', 'lib/dpkg/updates']) {
    mkdirSync(join(root, 'var', path), { recursive: true });
  }
  const status = readFileSync('/var/lib/dpkg/status', 'utf8')
    .split('\n\n')
    .filter((each) => names.includes(/^Package: (\S+)/.exec(each)?.[1]));
  writeFileSync(join(root, 'var/lib/dpkg/status'), `${status.join('\n\n')}\n`);
}

/** Names of hosts and authorities, as engines and the base image have them. */
function writeNetwork(root) {
  copy(root, '/etc/ssl/certs');
  for (const path of ['/etc/resolv.conf', '/etc/nsswitch.conf', '/etc/hosts']) {
    copy(root, realpathSync(path), path);
  }
}

function copyProgram(root, node) {
  copy(root, node, '/usr/local/bin/node');
}

/** Root, and the user of the official images of Node. */
function writeUsers(root) {
  mkdirSync(join(root, 'home/node'), { recursive: true });
  mkdirSync(join(root, 'tmp'), { recursive: true, mode: 0o1777 });
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\n_apt:x:100:65534::/nonexistent:/usr/sbin/nologin\nnode:x:1000:1000::/home/node:/bin/sh\n',
  );
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\nnode:x:1000:\n');
}

/** Returns the folder of the npm that is on PATH. */
function npmFolder() {
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  return dirname(dirname(realpathSync(npm)));
}

/** Returns what dpkg has installed, by each name that others may need: `{ name, isEssential, needs }`. */
function installedPackages() {
  const fields = ['Package', 'Essential', 'Pre-Depends', 'Depends', 'Provides'];
  const format = `${fields.map((name) => `\${${name}}`).join('\t')}\n`;
  const rows = execFileSync('dpkg-query', ['--show', '--showformat', format], { encoding: 'utf8' });
  const namesIn = (list) => list.split(/[,|]/).map((each) => each.trim().split(/[ :(]/)[0]);
  const found = new Map();
  for (const row of rows.split('\n').slice(0, -1)) {
    const [name, essential, first, needs, provided] = row.split('\t');
    const isEssential = essential === 'yes';
    const each = { name, isEssential, needs: [...namesIn(first), ...namesIn(needs)] };
    found.set(name, each);
    for (const alias of namesIn(provided)) if (!found.has(alias)) found.set(alias, each);
  }
  return found;
}

/** Returns the names of packages with what they depend on, of those that are installed and wanted. */
function closure(names, installed, isWanted = () => true) {
  const found = new Set();
  const left = [...names];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const each = installed.get(next);
    if (each === undefined || found.has(each.name) || !isWanted(each.name)) continue;
    found.add(each.name);
    left.push(...each.needs);
  }
  return [...found];
}

function copyPackages(root, names) {
  for (const name of MERGED) {
    mkdirSync(join(root, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(root, name));
  }
  const listed = execFileSync('dpkg-query', ['--listfiles', ...names], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const paths = [...new Set(listed.split('\n'))].filter(
    (path) =>
      path.startsWith('/') && !NOT_IN_SLIM.test(path) && !isFolder(path) && existsSync(path),
  );
  // Through a file of names: their list is longer than a command may be.
  const archive = execFileSync('tar', ['--create', '--no-recursion', '--files-from=-'], {
    input: paths.join('\n'),
    maxBuffer: 1 << 30,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  execFileSync('tar', ['--extract', '--keep-directory-symlink', '--directory', root], {
    input: archive,
  });
  // dpkg owns neither: its scripts make them.
  if (existsSync(join(root, 'usr/bin/dash'))) {
    rmSync(join(root, 'usr/bin/sh'), { force: true });
    symlinkSync('dash', join(root, 'usr/bin/sh'));
  }
}

/** A link to a folder is none. */
const isFolder = (path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
