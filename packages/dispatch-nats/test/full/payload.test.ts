import { testPayloads } from '../payload-cases.ts';

testPayloads([4, 64, 512, 8192]);
