import { testDeaths, testTrees, useAskedServer } from '../traces-cases.ts';

useAskedServer();
testTrees('piscina');
testDeaths('fork');
testDeaths('piscina');
