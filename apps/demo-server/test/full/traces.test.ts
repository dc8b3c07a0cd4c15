import { expect, test } from 'vitest';
import { getFrom, startDemo } from '../demo.ts';
import { receiveTelemetry, tracesOf } from '../otlp-receiver.ts';

test('a client’s trace goes on, and its sampling is followed', async () => {
  const collector = await receiveTelemetry();
  const argv = ['--otel-sample', '0', '--carriers', 'ouigo'];
  const demo = await startDemo(argv, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const ask = (path: string, flags: string, id: string) => {
    const traceparent = `00-${id.repeat(32)}-${'b'.repeat(16)}-${flags}`;
    return getFrom(demo.url + path, { headers: { traceparent } });
  };
  await getFrom(`${demo.url}/healthz`);
  await ask('/stations', '00', 'c');
  await ask('/nowhere', '01', 'a');
  demo.child.kill('SIGTERM');
  expect(await demo.exit()).toBe(0);
  expect(tracesOf(collector.spans, 'unmatched')).toMatchObject([
    [
      {
        ...{ name: 'GET unmatched', instance: 'server-0' },
        ...{ traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16) },
        attributes: { 'http.response.status_code': 404 },
      },
    ],
  ]);
  expect(collector.spans).toHaveLength(1);
});
