import { testKernelModel } from '../kernel-model-property.ts';

testKernelModel({ any: 1500, moving: 1000, full: 1000 });
