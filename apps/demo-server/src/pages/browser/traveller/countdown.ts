import { againText } from '../../words/again-count.ts';
import { clockTime } from '../../words/amounts.ts';

/** Counts down, once a second, until carriers may be asked again. */
export interface Countdown {
  /** Counts what has been drawn. */
  follow(): void;
}

/** Creates the countdown of a page. It has a timer only while something counts. */
export function createCountdown(root: HTMLElement): Countdown {
  let timer: ReturnType<typeof setTimeout> | undefined;
  function tick(): void {
    clearTimeout(timer);
    const now = Date.now();
    const left = [...root.querySelectorAll<HTMLElement>('[data-again-at]')].map((count) => {
      const at = Number(count.dataset['againAt']);
      count.textContent = againText(at - now);
      const spoken = count.nextElementSibling as HTMLElement;
      const text = at > now ? `at ${clockTime(at)}` : 'now';
      if (spoken.textContent !== text) spoken.textContent = text;
      const link = count.closest<HTMLElement>('[data-again]');
      if (at > now) link?.setAttribute('aria-disabled', 'true');
      else link?.removeAttribute('aria-disabled');
      return at - now;
    });
    // At the turn of the nearest second.
    const next = left.filter((each) => each > 0).map((each) => each % 1000 || 1000);
    if (next.length > 0) timer = setTimeout(tick, Math.min(...next));
  }
  return { follow: tick };
}
