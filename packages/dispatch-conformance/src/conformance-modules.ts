/** Names of the modules beside this file. */
type ModuleName =
  | 'conformance-tasks'
  | 'exits-at-start'
  | 'hangs-at-start'
  | 'no-default-export'
  | 'other-tasks'
  | 'planned-start'
  | 'throws-at-start';

// The sources run as TypeScript and as JavaScript; both have the modules in the same folder.
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** Module of the tasks that conformance cases run. */
export const conformanceModule: URL = moduleUrl('conformance-tasks');

/** Module with another task under the name `echo`, for `reload`. */
export const otherTasksModule: URL = moduleUrl('other-tasks');

/** Modules that cannot be loaded, or whose worker does not start. */
export const badModules: {
  readonly exitsAtStart: URL;
  readonly hangsAtStart: URL;
  readonly noDefaultExport: URL;
  readonly throwsAtStart: URL;
} = {
  exitsAtStart: moduleUrl('exits-at-start'),
  hangsAtStart: moduleUrl('hangs-at-start'),
  noDefaultExport: moduleUrl('no-default-export'),
  throwsAtStart: moduleUrl('throws-at-start'),
};

/** Module that exports `startAsPlanned`, which makes the tasks of a module that a case writes. */
export const plannedStartModule: URL = moduleUrl('planned-start');

function moduleUrl(name: ModuleName): URL {
  return new URL(`./modules/${name}${extension}`, import.meta.url);
}
