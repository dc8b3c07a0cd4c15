import { testKeyOfLostWorkers } from '../keys-cases.ts';

testKeyOfLostWorkers('passthru');
