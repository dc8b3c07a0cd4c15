import { channel, tracingChannel } from 'node:diagnostics_channel';
import { CarrierError, RailError } from '../errors.ts';
import { presentFields } from '../model/present-fields.ts';
import { fieldOf, tryRead } from '../read-field.ts';
import type { CallTrace, ScatterChannels, ScatterFace } from './scatter-face.ts';
import type { AnySource, ResolvedScatterOptions } from './scatter-options.ts';
import type { ScatterResult } from './scatter-result.ts';
import { isComplete, type SourceError, type SourceStatus, stateOfCode } from './source-status.ts';

/** End of a call, without the answers. */
type EndedCall = Omit<ScatterResult<unknown, Record<string, unknown>>, 'answers'> & {
  /** Option `name`. */
  readonly scatter: string;
};

/** One call, as subscribers of `tracing:ticketing:core:scatter:*` see it. */
interface ScatterTrace extends CallTrace {
  /** Option `name`. */
  readonly scatter: string;
  /** Unique among all processes. */
  readonly callId: string;
  readonly query: unknown;
  readonly deadlineMs: number;
  ended?: EndedCall & { readonly aborted: boolean };
}

/** One source in one call, as subscribers of `tracing:ticketing:core:source:*` see it. */
interface OneSourceTrace extends Omit<ScatterTrace, 'ended'> {
  readonly source: string;
  status?: SourceStatus;
}

const channels: ScatterChannels = {
  call: /* @__PURE__ */ tracingChannel('ticketing:core:scatter'),
  source: /* @__PURE__ */ tracingChannel('ticketing:core:source'),
  settled: /* @__PURE__ */ channel('ticketing:core:source-settled'),
  done: /* @__PURE__ */ channel('ticketing:core:scatter-done'),
};

/** Runs of each source that have not settled. */
export type RunCounts = Map<string, number>;

/** Returns the face of sources of any kind: how they are asked, and their messages. */
export function createSourceFace(
  { sources, now, name, maxInFlight }: ResolvedScatterOptions,
  inFlight: RunCounts,
): ScatterFace<AnySource, unknown, unknown, SourceStatus, EndedCall> {
  return {
    sources,
    now,
    channels,
    async ask({ id, run }, query, context) {
      const runs = inFlight.get(id) as number;
      if (runs >= maxInFlight) {
        const message = `Source \`${id}\` is busy: \`maxInFlight\` (${maxInFlight}) runs are under way`;
        throw Object.assign(new Error(message), { code: 'OVERLOADED' });
      }
      inFlight.set(id, runs + 1);
      try {
        return await run(query, context);
      } finally {
        inFlight.set(id, (inFlight.get(id) as number) - 1);
      }
    },
    running: (source) => ({ source, state: 'running', ms: 0 }),
    answered: (source, ms) => ({ source, state: 'ok', ms }),
    failed(source, ms, cause, state) {
      const known = CarrierError.from(cause);
      return { source, state: state ?? stateOfCode(known.code), ms, error: toData(cause, known) };
    },
    late: (ms) => new DOMException(`No answer within \`deadlineMs\` (${ms} ms)`, 'TimeoutError'),
    left: () => new DOMException('The caller left', 'AbortError'),
    closed: () => new RailError('ERR_CLOSED', 'Cannot ask: the scatter is closed'),
    ended: (query, statuses, ms) => ({
      scatter: name,
      query,
      sources: statuses,
      complete: isComplete(statuses),
      ms,
    }),
    settled: (query, status, cause) => ({ scatter: name, query, status, cause }),
    traceCall: (query, deadlineMs): ScatterTrace => ({
      scatter: name,
      callId: crypto.randomUUID(),
      query,
      deadlineMs,
    }),
    traceSource(call, source): OneSourceTrace {
      const { callId, query, deadlineMs } = call as ScatterTrace;
      return { scatter: name, callId, query, deadlineMs, source };
    },
  };
}

/** Returns what was thrown as plain data; `known` is the same with a code and a message. Never throws. */
function toData(thrown: unknown, known: CarrierError): SourceError {
  const code = fieldOf(thrown, 'code', 'string') || known.code;
  const name = fieldOf(thrown, 'name', 'string') || 'Error';
  // No data when it cannot be cloned.
  const data = tryRead(() => structuredClone(Object(thrown).data));
  return { code, name, message: known.message, ...presentFields({ data }) };
}
