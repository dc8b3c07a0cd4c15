import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repairAnchors } from '../src/api/repair-anchors.ts';

test('a link to the second of one heading leads to the first, and right ones stay', () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchors-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.md'), '# A\n\n### stats()\n\n### Twice\n\n### Twice\n');
  const links = '[1](a.md#stats-1) [2](a.md#twice-1) [3](#here-1) [4](none.md#x-1)';
  writeFileSync(join(folder, 'b.md'), `### Here\n\n${links}\n`);
  repairAnchors(folder);
  expect(readFileSync(join(folder, 'b.md'), 'utf8')).toBe(
    '### Here\n\n[1](a.md#stats) [2](a.md#twice-1) [3](#here) [4](none.md#x-1)\n',
  );
});
