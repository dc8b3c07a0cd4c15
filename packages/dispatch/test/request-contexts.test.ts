import { testContexts } from './request-context-cases.ts';

// As tracers of today keep their contexts; as older ones did is in `test/full`.
testContexts(['storage']);
