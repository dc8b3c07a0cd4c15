const MIB = 1024 * 1024;

// The largest values that glibc's own adjustment reaches, which one process happens to reach and the next does not.
const KEEPS_FREED_MEMORY = {
  MALLOC_TRIM_THRESHOLD_: String(64 * MIB),
  MALLOC_MMAP_THRESHOLD_: String(32 * MIB),
};

/**
 * What a server's environment lacks so that glibc keeps up to 64 MiB of freed memory. By default it gives back what is
 * free at the end beyond 128 KiB: with each garbage collection the buffers that bodies were read into, whose pages the
 * next bodies fault in again. Nothing, where somebody has set malloc up (`MALLOC_…`, `GLIBC_TUNABLES`). Other C
 * libraries do not know these variables.
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
