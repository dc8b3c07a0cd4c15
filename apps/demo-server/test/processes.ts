/** The pids that `/config` names in a role. */
export function pidsOf(
  config: { readonly processes: readonly { readonly pid: number; readonly role: string }[] },
  wanted: string,
): number[] {
  return config.processes.filter(({ role }) => role === wanted).map(({ pid }) => pid);
}
