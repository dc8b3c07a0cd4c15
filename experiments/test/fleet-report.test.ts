import { expect, test } from 'vitest';
import { report } from '../05-fleet/report.ts';

test('report() of a machine without NATS says that nothing is measured', () => {
  expect(report({})).toEqual({
    verdicts: [],
    lines: ['Not measured: there is no nats-server.'],
    charts: {},
  });
});
