// A program of its own: a test runner takes an unhandled rejection for its own failure.
import { brokenSubject, runCase } from './broken-dispatcher.ts';

const subject = brokenSubject({
  run(run, task, input, options) {
    void Promise.reject(new Error('nobody catches it'));
    return run(task, input, options);
  },
});
const outcome = await runCase(subject, 'progress: a report without a listener is dropped').then(
  () => 'passed',
  (error: Error) => error.message,
);
process.stdout.write(outcome);
