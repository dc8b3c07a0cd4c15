import { createManualClock, turns } from '@ticketing/test-kit';
import { describe, expect, it } from 'vitest';
import { Circuit } from '../src/shared/circuit.ts';

const COMMAND_MS = 50;

function open() {
  const clock = createManualClock();
  const times = { name: 'circuit', commandTimeoutMs: COMMAND_MS, downMs: 1000 };
  const circuit = new Circuit({ ...times, clock, random: () => 0.5, onDown: () => {} });
  const answers: (() => void)[] = [];
  let sent = 0;
  const command = () => {
    sent += 1;
    return new Promise<true>((resolve) => answers.push(() => resolve(true)));
  };
  return {
    ...{ clock, circuit, answers },
    get sent() {
      return sent;
    },
    /** Sends commands, none of which is answered in time. */
    async holdUp(commands: number): Promise<void> {
      const asked = Array.from({ length: commands }, () => circuit.ask(command));
      clock.advance(COMMAND_MS);
      expect(await Promise.all(asked)).toEqual(asked.map(() => undefined));
    },
    ask: () => circuit.ask(command),
  };
}

describe('the circuit of an engine', () => {
  it('stops asking for a while after three commands without an answer', async () => {
    const engine = open();
    await engine.holdUp(3);
    expect(engine.circuit.state).toBe('down');
    expect(await engine.ask()).toBeUndefined();
    engine.clock.advance(999);
    expect(await engine.ask()).toBeUndefined();
    expect(engine.sent).toBe(3);
    engine.clock.advance(1);
    const probe = engine.ask();
    engine.answers.at(-1)?.();
    expect(await probe).toBe(true);
    expect(engine.circuit.state).toBe('up');
  });

  it('asks at once when an answer comes late: the engine was held up for a moment', async () => {
    const engine = open();
    await engine.holdUp(3);
    engine.answers[0]?.();
    await turns();
    const probe = engine.ask();
    expect(engine.sent).toBe(4);
    engine.answers.at(-1)?.();
    expect(await probe).toBe(true);
    expect(engine.circuit.state).toBe('up');
  });

  it('has one such probe for an engine that is always late', async () => {
    const engine = open();
    await engine.holdUp(3);
    for (const answer of engine.answers) answer();
    await turns();
    await engine.holdUp(1);
    expect(engine.sent).toBe(4);
    engine.answers.at(-1)?.();
    await turns();
    expect(await engine.ask()).toBeUndefined();
    expect([engine.sent, engine.circuit.state]).toEqual([4, 'down']);
  });
});
