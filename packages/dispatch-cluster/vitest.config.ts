import { defineProject, mergeConfig } from 'vitest/config';
// @boundaries-ignore the settings that all packages share are at the top of the repository
import shared from '../../vitest.shared.ts';
// A process has one policy of node:cluster, and a file of tests sets another.
export default mergeConfig(shared, defineProject({ test: { name: 'dispatch-cluster' } }));
