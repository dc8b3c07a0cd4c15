/**
 * The oldest TypeScript that compiles programs on the packed types: `modules` for programs that are modules, `commonJs` for
 * those that require the packages, `dataloaderByRequire` for `import DataLoader = require('@ticketing/batching/dataloader')`.
 */
export const OLDEST_TYPESCRIPT = { modules: '5.7', commonJs: '5.8', dataloaderByRequire: '5.9' };
