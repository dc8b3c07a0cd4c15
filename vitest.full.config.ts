// The long half: tests named `*.scaled.test.ts` have their full number of cases.
process.env['TEST_SCALE'] = 'full';

export { default } from './vitest.config.ts';
