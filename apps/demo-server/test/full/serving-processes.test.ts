import { testReplacement, testTermination } from '../serving-cases.ts';

testReplacement('socket');
testReplacement('passthru');
testTermination('cluster', 'in-process');
testTermination('cluster', 'fork');
testTermination('cluster', 'cluster');
testTermination('passthru', 'cluster');
