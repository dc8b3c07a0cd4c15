import { dataloaderPropertyTests } from './dataloader-properties-tests.ts';
import { FAST } from './scale.ts';

dataloaderPropertyTests(FAST);
