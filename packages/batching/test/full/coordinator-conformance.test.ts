import { coordinatorTests } from '../coordinator-conformance.ts';

coordinatorTests({ isShort: false });
