import { testLimit, testPipelining, testStoppedProcesses } from '../overload-cases.ts';

testLimit('cluster');
testLimit('socket');
testLimit('passthru');
testPipelining('single');
testPipelining('cluster');
testPipelining('socket');
testPipelining('passthru');
testStoppedProcesses('socket');
testStoppedProcesses('passthru');
