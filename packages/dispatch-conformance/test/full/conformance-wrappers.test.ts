import { testWrappers } from '../conformance-wrappers.ts';

testWrappers({ isShort: false });
