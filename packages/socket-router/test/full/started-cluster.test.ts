import { testStartedCluster } from '../started-cluster-cases.ts';

testStartedCluster('without a server: ready() says so');
testStartedCluster('without attach: ready() says so');
