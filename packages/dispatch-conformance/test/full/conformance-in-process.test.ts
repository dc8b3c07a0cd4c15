import { testInProcess } from '../conformance-in-process.ts';

testInProcess({ isShort: false });
