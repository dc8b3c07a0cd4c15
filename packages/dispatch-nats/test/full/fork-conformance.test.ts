import { testForkConformance } from '../fork-conformance.ts';

testForkConformance();
