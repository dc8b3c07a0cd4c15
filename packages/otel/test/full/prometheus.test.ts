import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, gone, testProgram, until } from '@ticketing/test-kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { libraryFamilies, writeFamilies } from '../../src/prometheus/index.ts';
import { useLibraries } from '../prometheus/use-libraries.ts';

const program = testProgram({ programs: ['prometheus'], programVariable: 'PROMETHEUS_BIN' });

/** Serves statistics as text at `/text`, and as OpenMetrics at `/openmetrics`. */
async function serve(read: Awaited<ReturnType<typeof useLibraries>>): Promise<number> {
  const server = createServer((request, response) => {
    const format = request.url === '/text' ? 'text' : 'openmetrics';
    const { contentType, text } = writeFamilies(libraryFamilies, { source: read(), format });
    response.setHeader('content-type', contentType).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts Prometheus, which scrapes both, and returns what asks it. */
async function startPrometheus(target: number): Promise<(path: string) => Promise<unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const config = {
    // A scrape that takes longer, on a busy machine, would end the series.
    global: { scrape_interval: '10s', scrape_timeout: '10s' },
    scrape_configs: ['text', 'openmetrics'].map((format) => ({
      job_name: format,
      metrics_path: `/${format}`,
      static_configs: [{ targets: [`127.0.0.1:${target}`] }],
    })),
  };
  // JSON is YAML.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const port = await freePort();
  const listen = `--web.listen-address=127.0.0.1:${port}`;
  const settings = ['--config.file=prometheus.yml', `--storage.tsdb.path=${folder}/data`, listen];
  const server: ChildProcess = spawn(program as string, settings, { cwd: folder, stdio: 'ignore' });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await gone(server.pid as number, 10_000);
    await rm(folder, { recursive: true });
  });
  return async (path) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    return ((await response.json()) as { readonly data: unknown }).data;
  };
}

describe.skipIf(program === undefined)('a real Prometheus', () => {
  test('scrapes every series in both formats, with its type and help', async () => {
    const read = await useLibraries();
    const ask = await startPrometheus(await serve(read));
    const query = async (expression: string): Promise<Readonly<Record<string, number>>> => {
      const data = await ask(`query?query=${encodeURIComponent(expression)}`);
      const { result } = data as {
        readonly result: {
          readonly metric: { readonly job: string };
          readonly value: [0, string];
        }[];
      };
      return Object.fromEntries(result.map(({ metric, value }) => [metric.job, Number(value[1])]));
    };
    await until(async () => Object.keys(await query('up == 1').catch(() => ({}))).length === 2);
    const { text } = writeFamilies(libraryFamilies, { source: read() });
    const series = text.split('\n').filter((line) => /^\w/.test(line)).length;
    const both = (value: number) => ({ text: value, openmetrics: value });
    expect(await query('scrape_samples_scraped')).toEqual(both(series));
    expect(await query('ticketing_dispatch_tasks_total{outcome="completed"}')).toEqual(both(1));
    expect(await query('sum by (job) (ticketing_dispatch_tasks_total)')).toEqual(both(3));
    expect(await query('ticketing_dispatch_run_seconds_bucket{le="+Inf"}')).toEqual(both(2));
    const p99 = await query('histogram_quantile(0.99, ticketing_dispatch_run_seconds_bucket)');
    expect(p99['text']).toBeGreaterThan(0);
    expect(p99['openmetrics']).toBe(p99['text']);

    const metadata = (await ask('targets/metadata?match_target={job="text"}')) as readonly {
      readonly metric: string;
      readonly type: string;
      readonly help: string;
    }[];
    const known = new Map(metadata.map(({ metric, type, help }) => [metric, { type, help }]));
    const used = libraryFamilies.filter(({ name }) => text.includes(`# TYPE ${name} `));
    expect(used.length).toBeGreaterThan(40);
    expect(used.map(({ name }) => known.get(name))).toEqual(
      used.map(({ type, help }) => ({ type, help })),
    );
  });
});
