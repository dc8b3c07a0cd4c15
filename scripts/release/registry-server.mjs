// A registry for a rehearsal, the program of a child process: `registry-server.mjs <folder>`, where verdaccio is installed. It
// listens on loopback only, takes our packages from anyone there, and has all others from the registry that npm is set to. Sends
// its URL to its parent.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [, , folder] = process.argv;
const { runServer } = createRequire(join(folder, 'package.json'))('verdaccio');
// The settings of the outer npm; what is under way in the rehearsal does not see them. They are written nowhere.
const upstream = execFileSync('npm', ['config', 'get', 'registry'], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
}).trim();
const storage = join(folder, 'storage');
const server = await runServer({
  self_path: join(storage, 'config.yaml'),
  storage,
  uplinks: { upstream: { url: upstream, maxage: '60m' } },
  packages: {
    '@ticketing/*': { access: '$all', publish: '$all' },
    '**': { access: '$all', proxy: 'upstream' },
  },
  auth: { htpasswd: { file: join(storage, 'htpasswd'), max_users: -1 } },
  web: { enable: false },
  log: { type: 'stdout', format: 'pretty', level: 'fatal' },
});
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}/`));
// Nobody would end it otherwise.
process.once('disconnect', () => process.exit());
