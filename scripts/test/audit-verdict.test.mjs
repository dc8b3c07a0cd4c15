import { expect, test } from 'vitest';
import { auditVerdict } from '../release/audit-verdict.mjs';

const report = (advisories) => JSON.stringify({ advisories, metadata: {} });
const advisory = { module_name: 'left', severity: 'critical', url: 'https://example.invalid/1' };

test('auditVerdict() fails on a known weakness, and names it', () => {
  const verdict = auditVerdict({ status: 1, stdout: report({ 1: advisory }), stderr: '' });
  expect(verdict.ok).toBe(false);
  expect(verdict.line).toContain('left critical https://example.invalid/1');
});

test('auditVerdict() passes without a weakness at the level', () => {
  expect(auditVerdict({ status: 0, stdout: report({}), stderr: '' })).toEqual({
    ok: true,
    line: 'Audited: 0 below the level',
  });
});

test.each([
  [
    'refuses the question',
    { status: 1, stdout: '', stderr: 'The endpoint responded with 405' },
    'responded with 405',
  ],
  [
    'reports an error as JSON',
    { status: 1, stdout: '{"error":{"code":"ERR_PNPM_AUDIT"}}', stderr: '' },
    'ERR_PNPM_AUDIT',
  ],
  [
    'does not answer',
    { status: null, stdout: '', stderr: 'spawnSync pnpm ETIMEDOUT' },
    'ETIMEDOUT',
  ],
])('auditVerdict() passes, and reports it, where the registry %s', (_, outcome, reason) => {
  expect(auditVerdict(outcome)).toEqual({
    ok: true,
    line: `Not audited: the registry did not answer (${reason})`,
  });
});
