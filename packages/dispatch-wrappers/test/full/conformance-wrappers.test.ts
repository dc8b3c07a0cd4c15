import { testWrappers } from '../conformance-wrappers.ts';

testWrappers();
