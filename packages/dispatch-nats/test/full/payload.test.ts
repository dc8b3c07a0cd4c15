import { testBorders, testPayloads } from '../payload-cases.ts';

testPayloads([4, 64, 512, 1024, 8192]);
testBorders(60);
