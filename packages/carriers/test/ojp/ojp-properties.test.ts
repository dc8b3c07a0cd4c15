import { FAST } from '../scale.ts';
import { ojpPropertyTests } from './ojp-property-tests.ts';

ojpPropertyTests(FAST);
