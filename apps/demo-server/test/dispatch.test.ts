import { inProcessServer, testDispatch } from './dispatch-cases.ts';
import { testedDispatches } from './fleet.ts';

const inProcess = inProcessServer();
for (const name of testedDispatches) {
  const offload = name === 'in-process' ? 'normalise' : 'whole';
  testDispatch(inProcess, '--dispatch', name, '--offload', offload);
}
