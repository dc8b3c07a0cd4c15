// A registry on this machine, and the settings of commands that use it alone.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmInstall } from '../shared/packages.mjs';

export const VERDACCIO = '6.10.4';
// It needs Node 22; the pinned Node comes with an install.
const pinned = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));

/** Installs verdaccio in a folder and starts it. Returns its URL, the environment of commands that use it, and `close()`. */
export async function startRegistry(folder) {
  mkdirSync(folder);
  // Something that it brings names `node-fetch` by a tag, which not every registry keeps.
  const manifest = { private: true, overrides: { 'node-fetch': '^2.7.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  npmInstall(folder, [`verdaccio@${VERDACCIO}`]);
  const child = fork(fileURLToPath(new URL('registry-server.mjs', import.meta.url)), [folder], {
    execPath: existsSync(pinned) ? pinned : process.execPath,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const [url] = await Promise.race([
    once(child, 'message'),
    exit.then(([code]) => {
      throw new Error(`Cannot start the registry: its process ended with exit code ${code}`);
    }),
  ]);
  const settings = join(folder, 'npmrc');
  // npm wants some token before it publishes; this one opens nothing.
  writeFileSync(settings, `registry=${url}\n${url.replace('http:', '')}:_authToken=rehearsal\n`);
  const env = {
    ...process.env,
    npm_config_userconfig: settings,
    npm_config_registry: url,
    pnpm_config_registry: url,
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
  };
  return {
    url,
    env,
    settings,
    /** Throws unless npm and pnpm in a folder would publish to this registry, and to no other. */
    mustBeUsedIn(cwd) {
      for (const command of ['npm', 'pnpm']) {
        const options = { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
        const used = execFileSync(command, ['config', 'get', 'registry'], options).trim();
        if (used !== url) throw new Error(`Cannot rehearse: ${command} would use another registry`);
      }
    },
    async close() {
      child.kill();
      await exit;
    },
  };
}
