import { existsSync } from 'node:fs';

const PATHS = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
];

/**
 * Path of the browser that tests, benches and pictures start: CHROMIUM, or where systems install one. The shell without windows is the same
 * engine for a third less of the processor.
 */
export const chromiumPath: string | undefined = PATHS.find(
  (path) => path !== undefined && existsSync(path),
);
