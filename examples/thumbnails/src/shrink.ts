/** Pixels in rows, four bytes each: red, green, blue, opacity. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Returns an image of a smaller width and the same shape: each pixel is the mean of those that it stands for. */
export function shrink(source: Pixels, wantedWidth: number): Pixels {
  const width = Math.min(wantedWidth, source.width);
  const height = Math.max(1, Math.round((source.height * width) / source.width));
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const top = Math.floor((y * source.height) / height);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * source.height) / height));
    for (let x = 0; x < width; x++) {
      const left = Math.floor((x * source.width) / width);
      const right = Math.max(left + 1, Math.floor(((x + 1) * source.width) / width));
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let row = top; row < bottom; row++) {
          for (let column = left; column < right; column++) {
            sum += source.data[(row * source.width + column) * 4 + channel] as number;
          }
        }
        data[(y * width + x) * 4 + channel] = sum / ((bottom - top) * (right - left));
      }
    }
  }
  return { width, height, data };
}
