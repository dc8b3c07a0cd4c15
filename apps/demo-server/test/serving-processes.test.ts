import { testReload, testTermination } from './serving-cases.ts';

testReload('cluster');
testTermination('socket', 'cluster');
