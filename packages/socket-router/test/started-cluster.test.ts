import { testStartedCluster } from './started-cluster-cases.ts';

testStartedCluster('that attaches its server is ready');
testStartedCluster('whose workers listen is refused at once');
