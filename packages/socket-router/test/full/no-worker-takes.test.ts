import { testBusyWorkers, testStoppedWorkers } from '../no-worker-takes-cases.ts';

testStoppedWorkers('passthru');
testBusyWorkers('socket');
testBusyWorkers('passthru');
