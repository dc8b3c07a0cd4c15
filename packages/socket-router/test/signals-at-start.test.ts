import { testSignalAtStart } from './signals-at-start-cases.ts';

testSignalAtStart('forkWorkers', 'before a worker serves');
