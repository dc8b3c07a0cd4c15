import { vi } from 'vitest';
import { testEndOfGroup } from '../group-cases.ts';

vi.setConfig({ testTimeout: 60_000 });

testEndOfGroup('SIGINT');
