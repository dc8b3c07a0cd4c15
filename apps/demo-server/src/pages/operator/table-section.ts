import type { History } from '../../figures/trend-schemas.ts';
import type { OperatorView } from '../../figures/view-schema.ts';
import { html, type SafeHtml } from '../frame/html.ts';
import { killQuestion } from '../picture/kill-question.ts';
import { type Kind, operatorTables, type TableName, type TableRow } from './operator-tables.ts';
import { processRows } from './process-rows.ts';

/** Renders a table without rows. */
export function tableSection(name: TableName): SafeHtml {
  const { title, note, columns, hasActions } = operatorTables[name];
  return html`<section class="card panel" id="${name}"><header><h2 id="${name}-title">${title}</h2><p class="muted" id="${name}-note">${note}</p></header>
<div class="scroll" role="region" aria-labelledby="${name}-title" tabindex="0"><table class="table cards"><thead><tr>${columns.map(
    ({ title: name, kind, width }, at) =>
      html`<th scope="col" class="${classOf(kind)}${at > 0 && ` w${width}`}">${name}</th>`,
  )}${hasActions && html`<th scope="col" class="w66"><span class="sr">Actions</span></th>`}</tr></thead><tbody></tbody></table></div></section>
`;
}

/** Renders the rows of a table. `asked`: id of the process that is about to be killed. */
export function tableRows(
  name: TableName,
  {
    view,
    history,
    asked,
  }: { readonly view: OperatorView; readonly history: History; readonly asked: string | undefined },
): SafeHtml {
  const { columns, none, hasActions, rows } = operatorTables[name];
  const width = columns.length + Number(hasActions);
  const all = rows(view, history);
  if (all.length === 0) return html`<tr class="none"><td colspan="${width}">${none}</td></tr>`;
  return html`${all.map((row) => [
    html`<tr data-key="${row.key}" data-mark="${row.mark}">${row.cells.map((cell, at) => {
      const { title, kind } = columns[at] ?? { title: '' };
      if (at === 0) return html`<th scope="row" class="lead">${cell}</th>`;
      return html`<td class="${classOf(kind)}" data-label="${title}">${cell}</td>`;
    })}${hasActions && action(row)}</tr>`,
    row.kill !== undefined && row.kill !== '' && row.kill === asked && question(view, asked, width),
  ])}`;
}

/** Returns the counts of processes, beside the title of the table of processes. */
export function processesNote(view: OperatorView): string {
  const rows = processRows(view);
  const marks = ['dead', 'slow', 'silent', 'starting'].flatMap((word) => {
    const { length } = rows.filter(({ state }) => state === word);
    return length === 0 ? [] : [`${length} ${word}`];
  });
  return marks.length === 0 ? String(rows.length) : `${rows.length}, of which ${marks.join(', ')}`;
}

function classOf(kind: Kind = 'text'): string {
  return { number: 'n', state: 'st', drawing: 'drawing', by: 'by', text: '' }[kind];
}

function action({ kill }: TableRow): SafeHtml {
  return html`<td class="act">${
    kill !== '' &&
    html`<button type="button" class="button small" data-kill="${kill}" aria-label="Kill ${kill}…">Kill…</button>`
  }</td>`;
}

function question(view: OperatorView, asked: string, width: number): SafeHtml | undefined {
  const process = view.processes.find(({ id }) => id === asked);
  return (
    process &&
    html`<tr class="asked" data-key="kill ${asked}"><td colspan="${width}"><div class="ask" role="alertdialog" aria-labelledby="ask-title" aria-describedby="ask-text"><b id="ask-title">Kill ${asked}?</b> <span id="ask-text" class="muted">${killQuestion(process, view.modes)}</span> <button type="button" class="button small danger" data-confirm="${asked}">Kill</button> <button type="button" class="button small" data-keep>Keep</button></div></td></tr>`
  );
}
