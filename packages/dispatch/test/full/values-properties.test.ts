import { testValueProperties } from '../value-properties.ts';

testValueProperties({ numRuns: 500 });
