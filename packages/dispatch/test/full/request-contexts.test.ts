import { CONTEXTS_BY } from '@ticketing/test-kit';
import { testContexts } from '../request-context-cases.ts';

testContexts(CONTEXTS_BY);
