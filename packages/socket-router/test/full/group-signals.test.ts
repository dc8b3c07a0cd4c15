import {
  testEndOfGroup,
  testReloadOfGroup,
  testWorkerWithoutSuccessor,
} from '../group-signals-cases.ts';

testEndOfGroup('SIGTERM', 'socket', 'forked');
testEndOfGroup('SIGINT', 'passthru', 'forked');
testEndOfGroup('SIGTERM', 'passthru', 'forked');
testEndOfGroup('SIGINT', 'socket', 'cluster');
testReloadOfGroup('socket', 'forked');
testReloadOfGroup('socket', 'cluster');
testWorkerWithoutSuccessor('cluster');
testReloadOfGroup('passthru', 'forked');
testWorkerWithoutSuccessor('bare');
