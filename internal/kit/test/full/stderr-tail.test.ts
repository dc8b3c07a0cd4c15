import { testTail } from '../stderr-tail-cases.ts';

testTail([1, 3, 7, 1000, 4096, 10_000]);
