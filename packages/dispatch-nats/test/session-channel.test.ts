import { describe, expect, it } from 'vitest';
import type { NatsLink } from '../src/link/nats-link.ts';
import { SessionChannel } from '../src/wire/session-channel.ts';

const BEAT_MS = 200;

/** A channel whose owner looks at it twice a beat, as a dispatcher does. */
function openChannel() {
  const link = {
    publish: () => true,
  };
  const channel = new SessionChannel(
    { link: link as unknown as NatsLink, subject: 's', maxBytes: 1024, name: 'host', reads: 'x' },
    { message() {}, ping() {}, ended() {}, broken() {} },
  );
  let now = 0;
  let ticks = 0;
  channel.ping('d', now);
  return {
    channel,
    /** Half a beat later: whether a question was sent. */
    tick({ silentMs = 0, hasCalls = false } = {}): boolean {
      now += BEAT_MS / 2;
      ticks += 1;
      const isBeat = ticks % 2 === 0;
      const asks = channel.isToAsk(now, { isBeat, beatMs: BEAT_MS, silentMs, hasCalls });
      if (asks) channel.ping('d', now);
      return asks;
    },
  };
}

describe('beats', () => {
  it('an idle session is asked once a beat', () => {
    const { tick } = openChannel();
    const asked = Array.from({ length: 8 }, () => tick({ silentMs: 150 }));
    expect(asked).toEqual([false, true, false, true, false, true, false, true]);
  });

  it('a session with messages both ways is asked every tenth beat, for its round trip', () => {
    const { channel, tick } = openChannel();
    const asked = Array.from({ length: 40 }, () => {
      channel.pong();
      return tick({ silentMs: 10, hasCalls: true });
    });
    expect(asked.flatMap((asks, index) => (asks ? [index] : []))).toEqual([19, 39]);
  });

  it('a side that has sent nothing in half a beat asks, however much it hears', () => {
    const { tick } = openChannel();
    expect([tick({ silentMs: 1 }), tick({ silentMs: 1 })]).toEqual([false, true]);
  });

  it('with calls under way a host that is quiet for half a beat is asked at once', () => {
    const { channel, tick } = openChannel();
    channel.pong();
    expect(tick({ silentMs: BEAT_MS / 2, hasCalls: true })).toBe(true);
  });
});
