import { testTail } from './stderr-tail-cases.ts';

testTail([3, 1000, 4096]);
