import type { Condition } from '../../figures/trend-schemas.ts';
import type { OperatorView } from '../../figures/view-schema.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { clockTime, counted } from '../words/amounts.ts';

/** Conditions that are told one by one. */
const MOST = 3;

/** Renders the health of the server in one line: the counts of parts if all is well, or the conditions, the worst first. */
export function healthLine(view: OperatorView): SafeHtml {
  const told = conditionsOf(view);
  if (told.length === 0) {
    return html`<h1 class="state good-ink" data-health="well"><span aria-hidden="true">●</span> All well</h1><ul><li>${partsOf(view).join(', ')}</li></ul>`;
  }
  const isBad = told.some(({ severity }) => severity === 'bad');
  const more = told.length - MOST;
  return html`<h1 class="state ${isBad ? 'bad-ink' : 'warn-ink'}" data-health="${isBad ? 'bad' : 'warn'}"><span aria-hidden="true">${isBad ? '■' : '▲'}</span> ${headOf(told)}</h1><ul>${told
    .slice(0, MOST)
    .map(
      ({ subject, id, name, says, since, detail }) =>
        html`<li data-key="${subject} ${id} ${says}"><b>${name}</b> ${says} since ${clockTime(since)}${detail !== undefined && `, ${detail}`}</li>`,
    )}${more > 0 && html`<li data-key="more">and ${more} more</li>`}</ul>`;
}

/** Returns the health in a sentence that stays while the same things are not well. */
export function healthSentence(view: OperatorView): string {
  const told = conditionsOf(view);
  if (told.length === 0) return 'All well';
  const first = told.slice(0, MOST).map(({ name, says }) => `${name} ${says}`);
  return `${headOf(told)}: ${first.join(', ')}${told.length > MOST ? ` and ${told.length - MOST} more` : ''}`;
}

/** Notes are as it should be: a worker that starts is well. */
function conditionsOf({ health }: OperatorView): readonly Condition[] {
  return health.filter(({ severity }) => severity !== 'note');
}

function headOf({ length }: readonly Condition[]): string {
  return length === 1 ? '1 thing is not well' : `${length} things are not well`;
}

function partsOf({ processes, modes }: OperatorView): string[] {
  const count = (...kinds: readonly string[]) =>
    processes.filter(({ kind }) => kinds.includes(kind)).length;
  const [servers, workers, hosts] = [count('server'), count('task', 'thread'), count('host')];
  return [
    counted(servers, 'server process', 'server processes'),
    ...(workers > 0 ? [counted(workers, 'task worker')] : []),
    ...(hosts > 0 ? [counted(hosts, 'host')] : []),
    counted(Object.keys(modes.carriers).length, 'carrier'),
  ];
}
