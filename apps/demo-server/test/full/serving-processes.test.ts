import { testGroupSignal, testReload, testReplacement, testTermination } from '../serving-cases.ts';

testReplacement('cluster');
testReplacement('socket');
testReplacement('passthru');
testReload('cluster');
testReload('socket');
testReload('passthru');
testTermination('cluster', 'in-process');
testTermination('cluster', 'fork');
testTermination('cluster', 'cluster');
testTermination('socket', 'cluster');
testTermination('passthru', 'cluster');

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  testGroupSignal(signal, 'single', 'fork');
  testGroupSignal(signal, 'single', 'piscina');
  testGroupSignal(signal, 'cluster', 'cluster');
  testGroupSignal(signal, 'socket', 'cluster');
  testGroupSignal(signal, 'passthru', 'fork');
}
