// The promises of a coordinator as cases that any test runner runs on any engine

export { type CoordinatorCase, coordinatorCases } from './coordinator-cases.ts';
export type { CoordinatorSubject } from './coordinator-stage.ts';
