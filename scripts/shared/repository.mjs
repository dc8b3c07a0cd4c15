// The address of the repository, which only `repository` in the manifest at the root has, and the addresses that follow from it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';

const BRANCH = 'main';

/** Returns the address of a repository's front page, by the manifest at its root. */
export function pageOf(root) {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/** Returns the fields of a package's manifest that follow from the address of the repository. */
export function addressesOf(root, folder) {
  const page = pageOf(root);
  const directory = toPosix(relative(root, folder));
  return {
    homepage: `${page}/tree/${BRANCH}/${directory}#readme`,
    bugs: { url: `${page}/issues` },
    repository: { type: 'git', url: `git+${page}.git`, directory },
  };
}

/** Returns the paths of the pages that a package ships, from its folder. */
export function shippedPages(folder, files) {
  const folders = files.filter((path) => isFolder(join(folder, path)) && path !== 'src');
  const inside = folders.flatMap((path) =>
    readdirSync(join(folder, path), { recursive: true }).map((name) =>
      posix.join(path, toPosix(name)),
    ),
  );
  return ['README.md', ...files, ...inside].filter(
    (path, at, all) =>
      path.endsWith('.md') && all.indexOf(path) === at && existsSync(join(folder, path)),
  );
}

/** Returns the targets of links and pictures of a page that are paths, without those of its code. */
export function pathsIn(text) {
  const prose = text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`(?!\])/g, '');
  const links = [
    ...prose.matchAll(/\]\(([^)\s]+)\)/g),
    ...prose.matchAll(/(?:src|srcset|href)="([^"]+)"/g),
  ];
  return links.map(([, target]) => target).filter((target) => !/^(?:[a-z]+:|#)/.test(target));
}

/**
 * Returns a page of a package in which links that leave the package are addresses of the repository: a registry shows the page,
 * and has no other file of the repository.
 * @param {string} text the page
 * @param {{ root: string, folder: string, page: string, files: readonly string[] }} place `page` is the path from the package's
 *   folder, `files` those of its manifest
 */
export function withAddresses(text, { root, folder, page, files }) {
  const front = pageOf(root);
  return pathsIn(text).reduce((changed, target) => {
    const [path, anchor] = target.split('#');
    const file = resolve(folder, dirname(page), path);
    if (isShipped(toPosix(relative(folder, file)), files)) return changed;
    const kind = isFolder(file) ? 'tree' : 'blob';
    const address = `${front}/${kind}/${BRANCH}/${toPosix(relative(root, file))}`;
    const whole = anchor === undefined ? address : `${address}#${anchor}`;
    return changed.replaceAll(`](${target})`, `](${whole})`);
  }, text);
}

/** Whether a path from a package's folder is in its tarball. */
function isShipped(path, files) {
  const always = /^(?:README|CHANGELOG)\.md$|^LICENSE$|^package\.json$/;
  return always.test(path) || files.some((file) => path === file || path.startsWith(`${file}/`));
}

function isFolder(path) {
  return existsSync(path) && statSync(path).isDirectory();
}

function toPosix(path) {
  return path.replaceAll(sep, '/');
}
