import { testReload, testReplacement, testTermination } from '../serving-cases.ts';

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
