import { testRouter } from './router-cases.ts';

// `test/full` has the other way, and more processes.
testRouter('passthru', 2);
