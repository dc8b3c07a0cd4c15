// Serves packed packages as a registry on loopback, so that `npm install <name>` in a guide installs them as it will from the public one.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';

/**
 * Starts a registry of packed packages. Returns the path of a settings file of npm that installs `@ticketing/*` from it and
 * everything else from where npm is set to, and `close()`.
 * @param {Map<string, string>} tarballs paths by name of the package
 * @param {string} folder where the settings file is written
 */
export async function startTarballRegistry(tarballs, folder) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url.slice(1));
    const tarball = [...tarballs.values()].find((each) => basename(each) === path);
    if (tarball !== undefined) return response.end(readFileSync(tarball));
    if (!tarballs.has(path)) return response.writeHead(404).end('{}');
    response.end(JSON.stringify(documentOf(path, tarballs.get(path), url)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/`;
  const settings = join(folder, 'npmrc');
  const ask = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  const own = execFileSync('npm', ['config', 'get', 'userconfig'], ask).trim();
  const before = existsSync(own) ? readFileSync(own, 'utf8') : '';
  writeFileSync(settings, `${before}\n@ticketing:registry=${url}\n`);
  return {
    settings,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns what a registry knows of a package with one version. */
function documentOf(name, tarball, url) {
  const packed = ['-xOf', tarball, 'package/package.json'];
  const manifest = JSON.parse(execFileSync('tar', packed, { encoding: 'utf8' }));
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const dist = { tarball: url + basename(tarball), integrity };
  const { version } = manifest;
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
