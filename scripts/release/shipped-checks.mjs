// What must hold of packages as they were installed: files, manifest, licence; and of all that came with them.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, normalize, sep } from 'node:path';
import { pathsIn } from '../shared/repository.mjs';

const allowed = [
  ...[/^dist\//, /^src\//, /^(README|CHANGELOG)\.md$/, /^LICENSE$/, /^package\.json$/],
  // What each adapter reads, and what of it was checked.
  /^wires\/[a-z]+\.md$/,
];
const required = ['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json'];
/** Packages that hold data of others: their licence, and the files that must be beside it. */
const withData = {
  '@ticketing/stations': {
    licence: 'MIT AND ODbL-1.0',
    files: ['data/stations.bin', 'LICENSE-DATA', 'NOTICE'],
  },
};
/** Licences of dependencies that ask for no more than to be named. */
const permissive = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
];

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Returns the paths of the files in a folder, without those of packages inside it. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !path.startsWith('node_modules/') && statSync(join(folder, path)).isFile());
}

/** Returns what is wrong with an installed package: one sentence each. `hidden` are paths of this machine that none may show. */
export function faultsOf(folder, { version, hidden }) {
  const manifest = readJson(join(folder, 'package.json'));
  const files = filesIn(folder);
  const { licence = 'MIT', files: data = [] } = withData[manifest.name] ?? {};
  return [
    ...files
      .filter((file) => !data.includes(file))
      .filter((file) => !allowed.some((pattern) => pattern.test(file)))
      .map((file) => `ships ${file}`),
    ...[...required, ...data]
      .filter((file) => !files.includes(file))
      .map((file) => `has no ${file}`),
    ...files
      .filter((file) => shows(join(folder, file), [homedir(), ...hidden]))
      .map((file) => `${file} shows a path of this machine`),
    ...files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => lostLinks(folder, file, files)),
    ...staleChunks(folder, files).map((file) => `ships ${file} of an earlier build: remove dist`),
    ...manifestFaults(manifest, { version, licence }),
    ...targetsOf(manifest.exports)
      .filter((target) => !existsSync(join(folder, target)))
      .map((target) => `exports ${target}, which is missing`),
  ].map((fault) => `${manifest.name} ${fault}`);
}

/** Returns the links of a page to paths that are not in the package. */
function lostLinks(folder, page, files) {
  const links = pathsIn(readFileSync(join(folder, page), 'utf8'));
  return links
    .filter((link) => {
      const path = normalize(join(dirname(page), link.split('#')[0])).replaceAll(sep, '/');
      return !files.some((file) => file === path || file.startsWith(`${path}/`));
    })
    .map((link) => `${page} links ${link}, which is not in the package`);
}

/** Returns the chunks of the bundler that no entry leads to: a build whose result is cached removes no older file. */
function staleChunks(folder, files) {
  const isChunk = (file) => /(^|\/)chunk-\w+\.js$/.test(file);
  const reached = new Set(files.filter((file) => file.endsWith('.js') && !isChunk(file)));
  for (const file of reached) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [chunk] of text.matchAll(/chunk-\w+\.js(?!\.map)/g)) {
      for (const path of files) if (path.endsWith(`/${chunk}`)) reached.add(path);
    }
  }
  return files.filter((file) => isChunk(file) && !reached.has(file));
}

function manifestFaults(
  { license, repository, exports: entries, ...manifest },
  { version, licence },
) {
  const faults = [];
  if (manifest.version !== version) faults.push(`is ${manifest.version}, not ${version}`);
  if (license !== licence) faults.push(`has the licence ${license}`);
  if (!repository?.url) faults.push('names no repository, which provenance needs');
  if (!repository?.directory) faults.push('has no directory in its repository');
  if (!manifest.homepage) faults.push('has no homepage');
  if (!manifest.bugs?.url) faults.push('has no address for bugs');
  if (!(manifest.keywords?.length >= 3)) faults.push('has fewer than 3 keywords');
  if (JSON.stringify(entries).includes('@ticketing/source')) faults.push('exports its sources');
  const wanted = { ...manifest.dependencies, ...manifest.peerDependencies };
  for (const [name, range] of Object.entries(wanted)) {
    if (/^(workspace|catalog):/.test(range)) faults.push(`depends on ${name} by ${range}`);
    const own = name.startsWith('@ticketing/');
    if (own && range !== `^${version}`) faults.push(`depends on ${name} ${range}`);
  }
  return faults;
}

function targetsOf(entries) {
  return typeof entries === 'string' ? [entries] : Object.values(entries).flatMap(targetsOf);
}

function shows(path, hidden) {
  const text = readFileSync(path, 'utf8');
  return hidden.some((folder) => folder.length > 1 && text.includes(`${folder}/`));
}

/** Returns what can be imported: `@ticketing/dispatch/worker`, for each entry of a manifest that is code. */
export function entriesOf(folder) {
  const { name, exports: entries } = readJson(join(folder, 'package.json'));
  return Object.keys(entries)
    .filter((path) => !path.endsWith('.json'))
    .map((path) => name + path.slice(1));
}

/** Returns the licences of all packages that are installed in a folder, with how many have each, and the names of those that ask for more. */
export function licencesIn(folder) {
  const counts = new Map();
  const others = [];
  const manifests = readdirSync(join(folder, 'node_modules'), { recursive: true })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => /(^|\/node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .filter((path) => !/^@ticketing\/[^/]+\/package\.json$/.test(path));
  for (const path of manifests) {
    const { name, license } = readJson(join(folder, 'node_modules', path));
    counts.set(license, (counts.get(license) ?? 0) + 1);
    if (!permissive.includes(license)) others.push(`${name} (${license})`);
  }
  return { counts, others };
}
