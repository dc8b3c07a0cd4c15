import { html, type SafeHtml } from './html.ts';

/** Lines of each icon, in a square of 16. */
const PATHS = {
  right: 'M3 8h10M9 4l4 4-4 4',
  left: 'M13 8H3M7 4 3 8l4 4',
  down: 'm4 6 4 4 4-4',
  swap: 'M2 5.5h11M10 2.5l3 3-3 3M14 10.5H3M6 7.5l-3 3 3 3',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  close: 'm4 4 8 8M12 4l-8 8',
  info: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 7.5V11M8 5v.01',
  alert: 'M8 2 1.5 13.5h13zM8 6.5v3M8 11.6v.01',
  sliders: 'M2 5h7M12 5h2M2 11h2M7 11h7M9 3v4M4 9v4',
  again: 'M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3',
  city: 'M2.5 13.5v-6h4v6M6.5 13.5v-11h7v11M1.5 13.5h13M9 5.5h2M9 8h2M9 10.5h2',
  pin: 'M8 14s4.5-4.3 4.5-7.5a4.5 4.5 0 0 0-9 0C3.5 9.7 8 14 8 14zM8 6.5v.01',
  nowhere: 'M2 5v6M2 8h6.5M11 5.5l4 5M15 5.5l-4 5',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** Names of all icons. */
export const ICONS = Object.keys(PATHS) as readonly IconName[];

/** Renders an icon, which screen readers skip. `extra`: more classes. */
export function icon(name: IconName, extra = ''): SafeHtml {
  return html`<svg class="icon${extra && ` ${extra}`}" viewBox="0 0 16 16" aria-hidden="true"><path d="${PATHS[name]}"/></svg>`;
}

/** Renders the mark of the demo. */
export const logo: SafeHtml = html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M10 22 22 10"/><circle cx="10" cy="22" r="4"/><circle class="ring" cx="22" cy="10" r="3"/></svg>`;
