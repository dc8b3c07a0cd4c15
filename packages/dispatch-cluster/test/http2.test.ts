import { vi } from 'vitest';
import { checkClustersAfterEach } from './cluster-fixture.ts';
import { testCloseWithStreams, testReloadWithStreams } from './http2-cases.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

testReloadWithStreams('h2c');
testCloseWithStreams('h2');
