import { vi } from 'vitest';
import { checkClustersAfterEach } from '../cluster-fixture.ts';
import { testKilledWorkers } from '../killed-workers.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

testKilledWorkers('round-robin', { kills: 3, clients: 20 });
