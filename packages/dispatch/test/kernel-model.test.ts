import { testKernelModel } from './kernel-model-property.ts';

testKernelModel({ any: 25, moving: 12, full: 12 });
