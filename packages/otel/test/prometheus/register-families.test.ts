import { Registry as ProjectRegistry } from '@prometheus-io/client';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { libraryFamilies, registerFamilies, writeFamilies } from '../../src/prometheus/index.ts';
import { useLibraries } from './use-libraries.ts';

const registries = {
  'prom-client': (type: string) => {
    const registry = new Registry();
    registry.setContentType(type as never);
    return registry;
  },
  '@prometheus-io/client': (type: string) =>
    new ProjectRegistry(type as typeof ProjectRegistry.PROMETHEUS_CONTENT_TYPE),
};

/** A registry also writes the heads of families without series. */
const withoutBareHeads = (text: string): string =>
  text.replaceAll(/# HELP .*\n# TYPE .*\n(?=\n|# HELP|# EOF)\n?/g, '');

describe.each(Object.entries(registries))('registry of %s', (_, create) => {
  test.each(['text', 'openmetrics'] as const)(
    'writes the bytes of writeFamilies(): %s',
    async (format) => {
      const read = await useLibraries();
      const { contentType, text } = writeFamilies(libraryFamilies, { source: read(), format });
      const registry = create(contentType);
      registerFamilies(registry, { families: libraryFamilies, read });
      expect(withoutBareHeads(await registry.metrics())).toBe(text);
    },
  );
});

test('registerFamilies() reads the source once per scrape, and again for the next', async () => {
  const registry = new Registry();
  let reads = 0;
  registerFamilies(registry, {
    families: libraryFamilies,
    read: async () => {
      reads += 1;
      return {
        scatters: { s: { running: reads, complete: 0, partial: 0, aborted: 0, latency: {} } },
      };
    },
  });
  expect(await registry.metrics()).toContain('ticketing_scatter_active{name="s"} 1');
  expect(await registry.metrics()).toContain('ticketing_scatter_active{name="s"} 2');
  expect(reads).toBe(2);
});

test('registerFamilies() leaves metrics of the program alone, and can be aggregated with other processes', async () => {
  const read = await useLibraries();
  const registry = new Registry();
  new Counter({ name: 'own_total', help: 'own', registers: [registry] }).inc(3);
  registerFamilies(registry, { families: libraryFamilies, read });
  registry.resetMetrics();
  new Counter({ name: 'more_total', help: 'more', registers: [registry] }).inc(3);
  const one = await registry.getMetricsAsJSON();
  const text = await AggregatorRegistry.aggregate([one, one]).metrics();
  expect(text).toContain('more_total 6');
  expect(text).toContain('ticketing_dispatch_tasks_total{pool="tasks",outcome="completed"} 2');
  expect(text).toContain('ticketing_dispatch_run_seconds_bucket{pool="tasks",le="+Inf"} 4');
  expect(text).toContain('ticketing_dispatch_run_seconds_count{pool="tasks"} 4');
});

test('a source that cannot be read fails the scrape, and the next one reads again', async () => {
  const registry = new Registry();
  let isBroken = true;
  registerFamilies(registry, {
    families: libraryFamilies,
    read: () => {
      if (isBroken) throw new Error('no statistics');
      return {};
    },
  });
  await expect(registry.metrics()).rejects.toThrow('no statistics');
  isBroken = false;
  expect(await registry.metrics()).toContain('# TYPE ticketing_dispatch_tasks_total counter');
});
