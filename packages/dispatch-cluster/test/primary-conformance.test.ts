import { testPrimaryConformance } from './primary-conformance.ts';

testPrimaryConformance({ isShort: true });
