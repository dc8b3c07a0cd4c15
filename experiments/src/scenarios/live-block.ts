/** A terminal, or what stands in for one in tests. */
export interface BlockOutput {
  write(text: string): unknown;
  readonly columns?: number;
}

/** Lines at the end of a terminal that are drawn over. */
export interface LiveBlock {
  /** Replaces the lines of the last call. Each is cut at the width of the terminal. */
  draw(lines: readonly BlockLine[]): void;
  /** Leaves the last lines in place and shows the cursor. Idempotent. */
  end(): void;
}

/** `style` adds escape sequences, which take no room. */
export interface BlockLine {
  readonly text: string;
  readonly style?: (text: string) => string;
}

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';

/** Hides the cursor until `end()`. The caller must call it before the process exits, also after a signal. */
export function createLiveBlock(output: BlockOutput): LiveBlock {
  let drawn = 0;
  let isOpen = false;
  return {
    draw(lines) {
      const width = (output.columns ?? 80) - 1;
      // To the start of the line first: a Ctrl-C is echoed where the cursor is.
      const up = drawn === 0 ? '' : `\r\u001B[${drawn}A`;
      const text = lines.map(({ text, style = (same) => same }) => {
        return `\u001B[2K${style(text.slice(0, width))}\n`;
      });
      // Lines of the last call below the new ones.
      const rest = Math.max(0, drawn - lines.length);
      const clear = rest === 0 ? '' : `${'\u001B[2K\n'.repeat(rest)}\u001B[${rest}A`;
      output.write(`${isOpen ? '' : HIDE_CURSOR}${up}${text.join('')}${clear}`);
      [drawn, isOpen] = [lines.length, true];
    },
    end() {
      if (isOpen) output.write(SHOW_CURSOR);
      isOpen = false;
    },
  };
}

const LEVELS = '▁▂▃▄▅▆▇█';

/** Draws numbers as one character each, from 0 to the largest; a blank for what is not finite. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values.filter(Number.isFinite), 0);
  return values
    .map((value) => {
      if (!Number.isFinite(value)) return ' ';
      const level = most === 0 ? 0 : Math.round((Math.max(0, value) / most) * (LEVELS.length - 1));
      return LEVELS[level];
    })
    .join('');
}
