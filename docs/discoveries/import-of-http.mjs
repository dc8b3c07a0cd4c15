// Shows what an import of `node:http` costs a process, and what another way to the same module does.
import { spawnSync } from 'node:child_process';

const ways = {
  neither: '',
  "import 'node:http'": "await import('node:http');",
  "getBuiltinModule('node:http')": "process.getBuiltinModule('node:http');",
};
const measure = `
  const { user, system } = process.cpuUsage(begin);
  globalThis.gc();
  console.log((user + system) / 1000, process.memoryUsage().heapUsed / 1e6);
`;

for (const [name, code] of Object.entries(ways)) {
  const source = `const begin = process.cpuUsage();\n${code}\n${measure}`;
  const rounds = Array.from({ length: 11 }, () => {
    const args = ['--expose-gc', '--input-type=module', '--eval', source];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return stdout.split(' ').map(Number);
  });
  const [ms, megabytes] = rounds.sort(([one], [other]) => one - other)[5];
  console.log(
    `${name.padEnd(30)} ${ms.toFixed(0).padStart(4)} ms CPU  ${megabytes.toFixed(1)} MB heap`,
  );
}
