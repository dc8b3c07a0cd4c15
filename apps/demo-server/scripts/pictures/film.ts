import type { Page } from 'playwright-core';
import sharp from 'sharp';

/** Frames of a page, each shown for a while. */
export interface Film {
  /** Writes a sentence below what the page shows, until the next one. */
  say(text: string): void;
  /** Takes a frame that is shown so long. */
  hold(ms: number): Promise<void>;
  /** Takes frames until a promise settles. */
  follow(until: Promise<unknown>): Promise<void>;
  /** Joins the frames into an animated WebP of a width. */
  develop(width: number): Promise<Buffer>;
}

/** Milliseconds between two frames that follow something. */
const PACE_MS = 250;
/** Styles of the sentence: the page's policy allows a script to set them, and no text to have them. */
const CAPTION = `(text) => {
  const caption = document.getElementById('caption') ?? document.body.appendChild(Object.assign(document.createElement('div'), { id: 'caption' }));
  caption.textContent = text;
  Object.assign(caption.style, {
    position: 'fixed', zIndex: 9, insetInline: 0, bottom: 0, padding: '14px 32px', textAlign: 'center',
    background: '#12151c', color: '#ffffff', font: '500 20px Geist, system-ui, sans-serif',
  });
}`;

/** Starts a film of a page. */
export function createFilm(page: Page): Film {
  const frames: { readonly png: Buffer; ms: number }[] = [];
  let caption = '';

  async function take(ms: number): Promise<void> {
    await page.evaluate(`(${CAPTION})(${JSON.stringify(caption)})`);
    const png = await page.screenshot({ animations: 'disabled' });
    const last = frames.at(-1);
    if (last?.png.equals(png)) last.ms += ms;
    else frames.push({ png, ms });
  }

  return {
    say(text) {
      caption = text;
    },
    hold: take,
    async follow(until) {
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      const settled = until.then(over, over);
      while (!isOver) {
        await take(PACE_MS);
        await Promise.race([settled, page.waitForTimeout(PACE_MS)]);
      }
      await until;
    },
    async develop(width) {
      const scaled = await Promise.all(
        frames.map(({ png }) => sharp(png).resize({ width }).png().toBuffer()),
      );
      return sharp(scaled, { join: { animated: true } })
        .webp({ delay: frames.map(({ ms }) => ms), loop: 0, quality: 70, effort: 4, minSize: true })
        .toBuffer();
    },
  };
}
