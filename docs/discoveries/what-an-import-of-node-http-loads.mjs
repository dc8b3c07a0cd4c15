// See what-an-import-of-node-http-loads.md.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

const ways = {
  import: "import http from 'node:http';",
  getBuiltinModule: "const http = process.getBuiltinModule('node:http');",
};
const tell = `
const { user, system } = process.cpuUsage();
const loaded = process.moduleLoadList.some((name) => name.includes('internal/deps/undici/undici'));
console.log(JSON.stringify({ ms: (user + system) / 1000, loaded }));`;

for (const [way, line] of Object.entries(ways)) {
  const runs = Array.from({ length: 9 }, () =>
    JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', line + tell])),
  ).sort((one, other) => one.ms - other.ms);
  const { ms, loaded } = runs[4];
  assert.equal(loaded, way === 'import');
  console.log(
    `${way.padEnd(17)} ${loaded ? 'undici is loaded' : 'no undici'}, ${Math.round(ms)} ms`,
  );
}
