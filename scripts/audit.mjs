#!/usr/bin/env node
// Asks the registry for known weaknesses of what this repository installs: `audit.mjs [--level high]`. Ends with 1 where a
// package that users get has one of that level or above. A registry that does not answer such questions is no failure: that is
// printed, and the code is 0.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { auditVerdict } from './release/audit-verdict.mjs';

const { values } = parseArgs({ options: { level: { type: 'string', default: 'high' } } });
const { status, stdout, stderr, error } = spawnSync(
  'pnpm',
  ['audit', '--prod', '--json', '--audit-level', values.level],
  { encoding: 'utf8', timeout: 120_000 },
);
const { ok, line } = auditVerdict({ status, stdout, stderr: error?.message ?? stderr });
console.log(line);
process.exitCode = ok ? 0 : 1;
