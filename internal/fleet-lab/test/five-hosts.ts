import { type Fault, type Setting, settings } from '../src/simulation/settings.ts';

/** The setting of five hosts with one fault, shorter. */
export function five(kind: Fault['kind']): Setting {
  const setting = settings['5']?.find(({ phases }) => phases[1]?.fault.kind === kind);
  if (setting === undefined) throw new Error(`Cannot test: no setting with ${kind}`);
  return { ...setting, phases: setting.phases.map((phase) => ({ ...phase, seconds: 3 })) };
}
