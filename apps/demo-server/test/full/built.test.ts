import { testBuilt, useBuiltFolder } from '../built-cases.ts';

useBuiltFolder();
testBuilt('cluster');
