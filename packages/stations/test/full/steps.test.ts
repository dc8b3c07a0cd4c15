import { questions, testSteps } from '../steps-tests.ts';

testSteps(Object.keys(questions) as (keyof typeof questions)[]);
