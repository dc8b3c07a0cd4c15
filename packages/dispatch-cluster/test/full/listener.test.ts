import { vi } from 'vitest';
import { checkClustersAfterEach } from '../cluster-fixture.ts';
import { testListener } from '../listener-cases.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

testListener('express');
testListener('later');
