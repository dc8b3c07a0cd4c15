// Runs the tests of one package in one process, whenever `mutants.mjs` requests it: `test-host.mjs <package>`.
import { existsSync } from 'node:fs';
import { BaseSequencer, createVitest } from 'vitest/node';

const [, , name] = process.argv;
/** Builds what the package's tests start, which then has the change; such tests do not import it. */
const build = await buildOf(name);
/** Test files in order; all of them for the run without a change. */
let order;
let run;

const rank = ({ moduleId }) => order?.indexOf(moduleId) ?? 0;
const byOrder = (one, other) => rank(one) - rank(other);

class InOrder extends BaseSequencer {
  async sort(files) {
    return files.sort(byOrder);
  }
}

const reporter = {
  onTestCaseResult(test) {
    process.send({ kind: 'progress' });
    const { state } = test.result();
    if (state === 'failed') run.failed.add(test.module.moduleId);
    if (state === 'passed') run.passed++;
  },
  onTestModuleEnd(module) {
    run.files.push({ file: module.moduleId, ms: module.diagnostic().duration });
    if (module.state() === 'failed') run.failed.add(module.moduleId);
  },
};
const vitest = await createVitest({
  project: [name],
  watch: false,
  maxWorkers: 2,
  reporters: [reporter],
  cliExclude: ['**/test/full/**'],
  sequence: { sequencer: InOrder },
});
const all = await vitest.globTestSpecifications();

process.on('message', async (request) => {
  order = request.order;
  for (const path of request.written) vitest.invalidateFile(path);
  let files = all;
  if (request.changed !== undefined && build !== undefined) {
    files = all.filter(({ moduleId }) => order.includes(moduleId));
  } else if (request.changed !== undefined) {
    vitest.config.related = [request.changed];
    const related = await vitest.getRelevantTestSpecifications();
    const ids = new Set(related.map(({ moduleId }) => moduleId));
    files = all.filter(({ moduleId }) => ids.has(moduleId) && order.includes(moduleId));
  }
  await build?.({ provide: () => {} });
  for (const project of vitest.projects) project.config.bail = order === undefined ? 0 : 1;
  process.send({ kind: 'done', ...(await runAll(files)) });
});
process.send({ kind: 'ready' });

async function runAll(files) {
  run = { failed: new Set(), files: [], passed: 0 };
  const { unhandledErrors } = await vitest.runTestSpecifications(files);
  // Bailing out at the first failure may take effect late, and would end the next run.
  const ended = new Set(run.files.map(({ file }) => file));
  const isCut = vitest.isCancelling || !files.every(({ moduleId }) => ended.has(moduleId));
  if (isCut && run.failed.size + unhandledErrors.length === 0) return runAll(files);
  return {
    failed: [...run.failed],
    errors: unhandledErrors.map((error) => String(error?.message ?? error)),
    files: run.files,
    passed: run.passed,
  };
}

/** Returns the build of a package whose tests start programs, as the demo's do. */
async function buildOf(name) {
  const module = new URL(`../../apps/${name}/test/programs.ts`, import.meta.url);
  return existsSync(module) ? (await import(module)).default : undefined;
}
