// Copies the declarations of private packages into the `dist` of the package in whose folder this runs, and makes its own
// declarations import the copies: users have no such packages. Arguments: folders below `internal`, by default `kit`.
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const kits = process.argv.length > 2 ? process.argv.slice(2) : ['kit'];
for (const kit of kits) {
  cpSync(fileURLToPath(new URL(`../${kit}/dist`, import.meta.url)), `dist/${kit}`, {
    recursive: true,
    filter: (path) => !/\.(js|map)$/.test(path),
  });
}
for (const file of globSync('dist/**/*.d.ts')) {
  const text = readFileSync(file, 'utf8');
  let inlined = text;
  for (const kit of kits) {
    const path = `${relative(dirname(file), `dist/${kit}`) || '.'}/index.js`;
    const specifier = path.startsWith('.') ? path : `./${path}`;
    inlined = inlined.replaceAll(`'@ticketing/${kit}'`, `'${specifier}'`);
  }
  if (inlined !== text) writeFileSync(file, inlined);
}
