import { testConformance } from '../conformance.ts';

testConformance({ isShort: false });
