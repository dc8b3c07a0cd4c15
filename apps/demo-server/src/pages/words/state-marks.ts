/** State of a part of the server, as the picture and the tables show it. */
export type PartState =
  | 'unknown'
  | 'healthy'
  | 'slow'
  | 'full'
  | 'fails'
  | 'hangs'
  | 'dead'
  | 'starting'
  | 'stopping';

interface StateMark {
  /** Shape that shows the state without its colour. */
  readonly glyph: string;
  readonly word: string;
  /** Class of the state's text. */
  readonly ink: 'good-ink' | 'warn-ink' | 'bad-ink' | 'accent-ink' | 'muted';
  /** Class of a node: how it is filled and edged. */
  readonly look: 'unknown' | 'healthy' | 'slow' | 'hangs' | 'dead' | 'starting';
}

/** Shape, word and colour of each state, in this order of severity. */
export const stateMarks: Readonly<Record<PartState, StateMark>> = {
  dead: { glyph: '✕', word: 'dead', ink: 'bad-ink', look: 'dead' },
  hangs: { glyph: '■', word: 'hangs', ink: 'bad-ink', look: 'hangs' },
  fails: { glyph: '■', word: 'fails', ink: 'bad-ink', look: 'hangs' },
  slow: { glyph: '▲', word: 'slow', ink: 'warn-ink', look: 'slow' },
  full: { glyph: '▲', word: 'full', ink: 'warn-ink', look: 'slow' },
  starting: { glyph: '◌', word: 'starting', ink: 'accent-ink', look: 'starting' },
  stopping: { glyph: '◌', word: 'stopping', ink: 'accent-ink', look: 'starting' },
  unknown: { glyph: '', word: 'not known yet', ink: 'muted', look: 'unknown' },
  healthy: { glyph: '●', word: 'healthy', ink: 'good-ink', look: 'healthy' },
};

/** States of the key below the picture's title. */
export const KEY_STATES = ['healthy', 'slow', 'hangs', 'dead', 'starting'] as const;

const BY_SEVERITY = Object.keys(stateMarks) as readonly PartState[];

/** Returns the worst of some states; `healthy` for none. */
export function worstOf(states: readonly PartState[]): PartState {
  return BY_SEVERITY.find((state) => states.includes(state)) ?? 'healthy';
}
