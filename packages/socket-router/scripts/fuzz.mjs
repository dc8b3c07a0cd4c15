#!/usr/bin/env node
// Runs the fuzz tests of the parsers with so many mutations each: `fuzz.mjs [--runs 200000] [--seed 1]`.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '200000' }, seed: { type: 'string', default: '1' } },
});
const { status } = spawnSync('vitest', ['run', 'fuzz'], {
  cwd: new URL('..', import.meta.url),
  stdio: 'inherit',
  env: { ...process.env, FUZZ_RUNS: values.runs, FUZZ_SEED: values.seed },
});
process.exitCode = status ?? 1;
