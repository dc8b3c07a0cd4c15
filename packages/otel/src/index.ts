// Spans and metrics of the @ticketing libraries, for OpenTelemetry and Prometheus
export {
  type Instrumentation,
  type InstrumentOptions,
  instrumentTicketing,
} from './instrument-ticketing.ts';
