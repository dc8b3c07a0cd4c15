// The promises of a dispatcher as cases that any test runner runs on any transport

export type { ConformanceCase } from './conformance-case.ts';
export { conformanceCases, type SplitCases, splitCases } from './conformance-cases.ts';
export { badModules, conformanceModule, otherTasksModule } from './conformance-modules.ts';
export type { ConformanceTasks, Failure, Mark, Told } from './conformance-task-map.ts';
export type { ConformanceSubject, CreateDispatcher, FleetSubject } from './stage.ts';
