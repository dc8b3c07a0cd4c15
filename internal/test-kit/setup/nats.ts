// Global setup of Vitest: one server for all test files of a run that need one
import { shareEngine } from './share-engine.ts';

export const setup = () => shareEngine('nats');
