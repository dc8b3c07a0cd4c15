import * as kit from '@ticketing/test-kit';
import { describe } from 'vitest';

export { promtool } from '@ticketing/test-kit';

export const hasPromtool: boolean = kit.hasPromtool();

/** Tests that need promtool; skipped where there is none, unless PROMTOOL_TESTS=required. */
export const describeWithPromtool = describe.skipIf(!hasPromtool);
