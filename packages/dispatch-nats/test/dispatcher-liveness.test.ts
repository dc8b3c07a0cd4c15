import { describe, expect, it } from 'vitest';
import { DispatcherLiveness } from '../src/host/dispatcher-liveness.ts';

/** A dispatcher that is lost after 300 ms, or 1300 ms without calls. */
const create = () => new DispatcherLiveness({ beatMs: 100, missedBeats: 3, idleMs: 1000 }, 0);
const busy = (sent: number) => ({ sent, hasCalls: true });
const idle = (sent: number) => ({ sent, hasCalls: false });

describe('a dispatcher with calls', () => {
  it('is silent after its missed beats', () => {
    const liveness = create();
    expect(liveness.tick(250, 0, busy(1))).toBeUndefined();
    expect(liveness.tick(300, 0, busy(2))).toBeUndefined();
    expect(liveness.tick(301, 0, busy(3))).toBe('silent');
  });

  it('lives while its messages come and the host answers', () => {
    const liveness = create();
    for (let now = 100; now <= 2000; now += 100) {
      expect(liveness.heard(now, busy(now / 100))).toBeUndefined();
      liveness.answered();
      expect(liveness.tick(now, 0, busy(now / 100 + 1))).toBeUndefined();
    }
  });

  it('has given the host up that sent it nothing for as long', () => {
    const liveness = create();
    expect(liveness.heard(299, busy(0))).toBeUndefined();
    expect(liveness.heard(300, busy(0))).toBe('given-up');
    expect(liveness.tick(299, 0, busy(0))).toBeUndefined();
    expect(liveness.tick(300, 0, busy(0))).toBe('given-up');
  });

  it('has a message of the host by the tick before it at the latest', () => {
    const liveness = create();
    liveness.heard(100, busy(0));
    expect(liveness.tick(100, 0, busy(0))).toBeUndefined();
    // Sent between the ticks at 100 and 200, so it counts from 100 on.
    expect(liveness.tick(200, 0, busy(1))).toBeUndefined();
    expect(liveness.heard(399, busy(1))).toBeUndefined();
    expect(liveness.heard(400, busy(1))).toBe('given-up');
  });
});

describe('a dispatcher without calls', () => {
  it('is silent after its idle time and its missed beats', () => {
    const liveness = create();
    expect(liveness.tick(1300, 0, idle(0))).toBeUndefined();
    expect(liveness.tick(1301, 0, idle(0))).toBe('silent');
  });

  it('is not silent for the time that this process slept', () => {
    const liveness = create();
    expect(liveness.tick(2000, 700, idle(0))).toBeUndefined();
    expect(liveness.tick(2001, 0, idle(0))).toBe('silent');
  });

  it('may call after any silence of the host', () => {
    const liveness = create();
    for (let now = 100; now <= 1000; now += 100) liveness.tick(now, 0, idle(0));
    expect(liveness.heard(1050, idle(0))).toBeUndefined();
  });

  it('has given the host up if its message waited while this process slept', () => {
    const liveness = create();
    liveness.tick(100, 0, idle(0));
    expect(liveness.tick(900, 700, idle(0))).toBeUndefined();
    expect(liveness.heard(900, idle(0))).toBe('given-up');
  });
});
