import { MOMENTS, testSignalAtStart } from '../signals-at-start-cases.ts';

for (const moment of MOMENTS) {
  testSignalAtStart('forkWorkers', moment);
  testSignalAtStart('startCluster', moment);
}
