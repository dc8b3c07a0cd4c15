// The largest values of glibc's own dynamic adjustment, which not every process reaches: 64 and 32 MiB. Not computed, so that
// bundlers drop them where they are not used.
const KEEPS_FREED_MEMORY = {
  MALLOC_TRIM_THRESHOLD_: '67108864',
  MALLOC_MMAP_THRESHOLD_: '33554432',
};

/**
 * Returns environment variables that let glibc keep up to 64 MiB of freed memory. By default it returns free memory above
 * 128 KiB to the system: at each garbage collection the buffers of bodies, whose pages the next bodies fault in again.
 * Returns none if `MALLOC_…` or `GLIBC_TUNABLES` is set already. Other C libraries ignore these variables.
 *
 * @see docs/discoveries/memory-that-was-just-given-back.md
 */
export function mallocVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const isSetUp = Object.keys(environment).some(
    (name) => name.startsWith('MALLOC_') || name === 'GLIBC_TUNABLES',
  );
  return isSetUp ? {} : KEEPS_FREED_MEMORY;
}
