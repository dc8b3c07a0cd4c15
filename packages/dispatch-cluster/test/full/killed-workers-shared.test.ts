import { vi } from 'vitest';
import { checkClustersAfterEach } from '../cluster-fixture.ts';
import { testKilledWorkers } from '../killed-workers.ts';

// A file of its own: a process has one policy.
checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

testKilledWorkers('shared', { kills: 3, clients: 20 });
