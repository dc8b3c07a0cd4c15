import { inProcessServer, testDispatch } from './dispatch-cases.ts';

// `test/full` has the other kinds of workers.
testDispatch(inProcessServer(), '--dispatch', 'fork', '--offload', 'whole');
