import { defineProject, mergeConfig } from 'vitest/config';
// @boundaries-ignore the settings that all packages share are at the top of the repository
import shared from '../../vitest.shared.ts';

/** Files for each of which a process is started: they set the other policy of node:cluster, of which a process has one, or have it inspected. */
export const alone: string[] = [
  'test/full/killed-workers-shared.test.ts',
  'test/full/shared-policy.test.ts',
  'test/inspector.test.ts',
];

const { test } = mergeConfig(shared, defineProject({ test: { name: 'dispatch-cluster-alone' } }));
export default defineProject({ ...shared, test: { ...test, include: alone } });
