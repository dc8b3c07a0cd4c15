/** Settings of the reference: all times are whole milliseconds, so that it can go step by step. */
export interface NaiveSettings {
  readonly rate: { tokenMs: number; burst: number; maxWaitMs: number } | undefined;
  readonly concurrency: { limit: number; maxQueued: number } | undefined;
  readonly circuit:
    | {
        windowCalls: number;
        windowMs: number;
        minCalls: number;
        failureShare: number;
        openMs: number;
        maxOpenMs: number;
        probes: number;
      }
    | undefined;
  readonly attemptTimeoutMs: number | undefined;
}

export type Ending =
  | { readonly kind: 'success' | 'answer' | 'failure' | 'ignored' }
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | undefined };

interface NaiveCall {
  readonly id: number;
  readonly deadline: number;
  /** Refused at this time while it waits. */
  until: number;
  sentAt: number;
  isProbe: boolean;
  /** Number of the period between two changes of the circuit in which it was let in. */
  period: number;
  pauses: number;
}

/**
 * A guard without retries and hedges, written as its page describes it, with lists that are searched, and one step per millisecond.
 * Nothing here is fast or shared with the sources.
 */
export class NaiveGuard {
  readonly #settings: NaiveSettings;
  now: number;
  /** `time id event`, for each attempt that is sent and each call that ends. */
  readonly log: string[] = [];
  inFlight: NaiveCall[] = [];
  line: NaiveCall[] = [];
  #circuit: 'closed' | 'open' | 'half-open' = 'closed';
  #openUntil = 0;
  #opens = 0;
  #passed = 0;
  #period = 0;
  #outcomes: { at: number; isFailure: boolean }[] = [];
  /** Milliseconds of growth in the bucket. */
  #grown: number;
  #pausedUntil = -1;
  #pauses = 0;
  #pausesInARow = 0;
  #durations: number[] = [];

  constructor(settings: NaiveSettings, now: number) {
    this.#settings = settings;
    this.now = now;
    this.#grown = this.#full;
  }

  get circuit(): string {
    return this.#circuit;
  }

  get tokens(): number {
    const { rate } = this.#settings;
    return rate === undefined ? 0 : this.#grown / rate.tokenMs;
  }

  get #full(): number {
    const { rate } = this.#settings;
    return rate === undefined ? 0 : rate.burst * rate.tokenMs;
  }

  /** The median, or the latest duration that is within 4.4 % of it: of one step of a sixteenth of a doubling. */
  get #median(): number {
    const last = this.#durations.slice(-256);
    const exact = last.toSorted((a, b) => a - b)[Math.ceil(last.length / 2) - 1] ?? 0;
    const stepOf = (ms: number) => Math.floor(Math.log2(ms) * 16);
    return last.findLast((ms) => stepOf(ms) === stepOf(exact)) ?? 0;
  }

  run(id: number, deadline: number): void {
    if (deadline <= this.now) {
      this.#end(id, 'ERR_TIMEOUT');
      return;
    }
    const call = { id, deadline, until: 0, sentAt: 0, isProbe: false, period: 0, pauses: 0 };
    const { circuit, rate, concurrency } = this.#settings;
    if (circuit !== undefined) {
      if (this.#circuit === 'open' && this.now < this.#openUntil) {
        this.#end(id, `ERR_CIRCUIT_OPEN ${this.#openUntil - this.now}`);
        return;
      }
      if (this.#circuit === 'open') this.#change('half-open');
      if (this.#circuit === 'half-open') {
        if ([...this.inFlight, ...this.line].some(({ isProbe }) => isProbe)) {
          this.#end(id, `ERR_CIRCUIT_OPEN ${circuit.openMs}`);
          return;
        }
        call.isProbe = true;
      }
      call.period = this.#period;
    }
    const waitMs = this.#msUntilToken(this.line.length);
    const latest = deadline - this.#median;
    if (waitMs > 0) {
      call.until = Math.min(latest, this.now + (rate?.maxWaitMs ?? 0));
      if (this.now + waitMs > call.until) {
        this.#end(id, `ERR_RATE_LIMITED ${waitMs}`);
        return;
      }
    } else {
      if (this.line.length === 0 && this.#hasPlace) {
        this.#send(call);
        return;
      }
      call.until = latest;
      if (this.now > latest || this.line.length >= (concurrency?.maxQueued ?? 0)) {
        const ms = (this.#median * (this.line.length + 1)) / (concurrency?.limit ?? 1);
        this.#end(id, `ERR_OVERLOADED ${Math.max(1, Math.ceil(ms))}`);
        return;
      }
    }
    this.line.push(call);
  }

  settle(id: number, ending: Ending): void {
    const call = this.#take(id);
    if (call === undefined) return;
    this.#end(id, ending.kind === 'success' ? 'answered' : 'rejected');
    if (ending.kind === 'success' || ending.kind === 'answer') {
      this.#durations.push(this.now - call.sentAt);
      if (call.pauses === this.#pauses) this.#pausesInARow = 0;
      this.#note(call, false);
    } else if (ending.kind === 'failure') this.#note(call, true);
    else if (ending.kind === 'throttled') this.#pause(call, ending.retryAfterMs);
    this.#drain();
  }

  leave(id: number, isTimeout: boolean): void {
    const waiting = this.line.find((call) => call.id === id);
    this.line = this.line.filter((call) => call.id !== id);
    const call = this.#take(id);
    if (waiting === undefined && call === undefined) return;
    this.#end(id, 'left');
    if (call !== undefined && isTimeout) this.#note(call, true);
    this.#drain();
  }

  /** Lets one millisecond pass. */
  tick(): void {
    this.now += 1;
    this.#grown = Math.min(this.#full, this.#grown + 1);
    for (const call of [...this.line]) if (this.now >= call.deadline) this.#giveUp(call);
    const { attemptTimeoutMs } = this.#settings;
    for (const call of [...this.inFlight]) {
      const isLate = this.now >= call.deadline;
      const isSlow = attemptTimeoutMs !== undefined && this.now >= call.sentAt + attemptTimeoutMs;
      if (!isLate && !isSlow) continue;
      this.#take(call.id);
      this.#end(call.id, isLate ? 'ERR_TIMEOUT' : 'ERR_ATTEMPT_TIMEOUT');
      this.#note(call, true);
    }
    this.#drain();
    for (const call of [...this.line]) {
      if (this.now < call.until || !this.line.includes(call)) continue;
      this.#giveUp(call);
      this.#drain();
    }
  }

  #giveUp(call: NaiveCall): void {
    this.line = this.line.filter((other) => other !== call);
    this.#end(call.id, this.#msUntilToken(0) > 0 ? 'ERR_RATE_LIMITED' : 'ERR_OVERLOADED');
  }

  get #hasPlace(): boolean {
    return this.inFlight.length < (this.#settings.concurrency?.limit ?? Number.POSITIVE_INFINITY);
  }

  #msUntilToken(ahead: number): number {
    const { rate } = this.#settings;
    let ms = Math.max(0, this.#pausedUntil - this.now);
    if (rate === undefined) return ms;
    let grown = Math.min(this.#full, this.#grown + ms);
    for (let left = ahead + 1; left > 0; ) {
      if (grown >= rate.tokenMs) {
        grown -= rate.tokenMs;
        left -= 1;
      } else {
        grown += 1;
        ms += 1;
      }
    }
    return ms;
  }

  #send(call: NaiveCall): void {
    const { rate } = this.#settings;
    if (rate !== undefined) this.#grown -= rate.tokenMs;
    call.sentAt = this.now;
    call.pauses = this.#pauses;
    this.inFlight.push(call);
    this.log.push(`${this.now} ${call.id} sent`);
  }

  #drain(): void {
    while (this.line.length > 0 && this.#hasPlace && this.#msUntilToken(0) === 0) {
      this.#send(this.line.shift() as NaiveCall);
    }
  }

  #take(id: number): NaiveCall | undefined {
    const call = this.inFlight.find((one) => one.id === id);
    this.inFlight = this.inFlight.filter((one) => one !== call);
    return call;
  }

  #end(id: number, how: string): void {
    this.log.push(`${this.now} ${id} ${how}`);
  }

  #note(call: NaiveCall, isFailure: boolean): void {
    const { circuit } = this.#settings;
    if (circuit === undefined || call.period !== this.#period) return;
    if (this.#circuit === 'half-open') {
      if (isFailure) {
        this.#open();
        return;
      }
      this.#passed += 1;
      if (this.#passed < circuit.probes) return;
      this.#opens = 0;
      this.#change('closed');
      return;
    }
    this.#outcomes.push({ at: this.now, isFailure });
    const seen = this.#outcomes
      .slice(-circuit.windowCalls)
      .filter(({ at }) => at >= this.now - circuit.windowMs);
    const failures = seen.filter((outcome) => outcome.isFailure).length;
    if (seen.length >= circuit.minCalls && failures / seen.length >= circuit.failureShare) {
      this.#open();
    }
  }

  #open(): void {
    const { openMs = 0, maxOpenMs = 0 } = this.#settings.circuit ?? {};
    this.#openUntil = this.now + Math.min(maxOpenMs, openMs * 2 ** this.#opens);
    this.#opens += 1;
    this.#change('open');
    for (const { id } of this.line) this.#end(id, 'ERR_CIRCUIT_OPEN');
    this.line = [];
  }

  #change(kind: 'closed' | 'open' | 'half-open'): void {
    this.#circuit = kind;
    this.#period += 1;
    this.#passed = 0;
    this.#outcomes = [];
  }

  #pause(call: NaiveCall, retryAfterMs: number | undefined): void {
    const isNew = call.pauses === this.#pauses;
    if (!isNew && retryAfterMs === undefined) return;
    const until = this.now + (retryAfterMs ?? Math.min(60_000, 1000 * 2 ** this.#pausesInARow));
    if (isNew) {
      this.#pauses += 1;
      this.#pausesInARow += 1;
    }
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    const maxWaitMs = this.#settings.rate?.maxWaitMs ?? 0;
    for (const waiting of [...this.line]) {
      if (until <= Math.min(waiting.until, this.now + maxWaitMs)) continue;
      this.line = this.line.filter((one) => one !== waiting);
      this.#end(waiting.id, 'ERR_RATE_LIMITED');
    }
  }
}
