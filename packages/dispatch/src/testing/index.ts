// The promises of the contract, for those who write a transport: run them with any test runner

export type { ConformanceCase } from './conformance-case.ts';
export { conformanceCases } from './conformance-cases.ts';
export { badModules, conformanceModule, otherTasksModule } from './conformance-modules.ts';
export type { ConformanceSubject, CreateDispatcher } from './conformance-subject.ts';
export type { ConformanceTasks, Failure, Mark, Told } from './conformance-task-map.ts';
export { gone, lives } from './processes.ts';
export { type SplitCases, splitCases } from './split-cases.ts';
