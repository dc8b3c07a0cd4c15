import { test } from 'vitest';
import { coordinatorCases } from '../src/shared/conformance/index.ts';
import { createMemoryCoordinator, createMemoryStore } from '../src/shared/index.ts';

const store = createMemoryStore();
const create = (options: object) => createMemoryCoordinator({ store, ...options });

for (const { name, run } of coordinatorCases({ create })) test.concurrent(name, run);
