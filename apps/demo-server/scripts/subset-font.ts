// Writes the typeface of the pages, `src/pages/look/geist-*.woff2`: `pnpm --filter demo-server font`. Geist is a variable font; weights 400
// to 700 are kept, and the characters of the ranges below, so that a page loads less than 20 kB of it.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { commandLine } from '@ticketing/cli-kit';
import subsetFont from 'subset-font';

/** Characters of each file, as ranges of code points. The style sheet has the same ranges. */
const FILES = {
  latin: {
    from: import.meta.resolve('@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'),
    ranges: [
      [0x20, 0x7e],
      [0xa0, 0xff],
      [0x2010, 0x2027],
      [0x2030, 0x203a],
      [0x20ac, 0x20ac],
      [0x2122, 0x2122],
      [0x2190, 0x2193],
      [0x2212, 0x2212],
    ],
  },
  'latin-ext': {
    from: import.meta.resolve('@fontsource-variable/geist/files/geist-latin-ext-wght-normal.woff2'),
    ranges: [[0x100, 0x17f]],
  },
} as const;

commandLine({
  run: 'pnpm --filter demo-server font',
  about: 'Writes the typeface of the pages, without what they do not use.',
  verb: 'write the typeface',
  flags: {},
});
for (const [name, { from, ranges }] of Object.entries(FILES)) {
  const text = ranges.map(([first, last]) =>
    String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, at) => first + at)),
  );
  const whole = await readFile(fileURLToPath(from));
  const part = await subsetFont(whole, text.join(''), {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 700 } },
  });
  const target = new URL(`../src/pages/look/geist-${name}.woff2`, import.meta.url);
  await writeFile(target, part);
  console.log(`geist-${name}.woff2: ${part.length} bytes of ${whole.length}`);
}
