import { hafasTests } from './hafas-tests.ts';
import { FAST } from './scale.ts';

hafasTests(FAST);
