import { testEndBySignal } from '../signals-cases.ts';

testEndBySignal('socket', 'SIGINT');
testEndBySignal('passthru', 'SIGTERM');
