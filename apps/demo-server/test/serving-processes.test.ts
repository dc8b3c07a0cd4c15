import { testReplacement, testTermination } from './serving-cases.ts';

testReplacement('cluster');
testTermination('socket', 'cluster');
