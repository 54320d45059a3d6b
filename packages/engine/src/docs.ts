/*
 * The two tables as Markdown: docs/verdicts.md holds exactly this, and a test says so.
 */
import { CLASSIFICATION_TABLE } from './classificationTable';
import { DECISION_TABLE } from './decide';

const cell = (text: string) => text.replace(/\|/g, '\\|');

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join(
    '\n',
  );
}

/**
 * The classification table as Markdown.
 *
 * @public
 */
export function classificationTableMarkdown(): string {
  return table(
    ['rule', 'when', 'verdict', 'reason'],
    CLASSIFICATION_TABLE.map(row => [
      `\`${row.id}\``,
      row.when,
      `\`${row.verdict}\``,
      `\`${row.reason}\``,
    ]),
  );
}

/**
 * The decision table as Markdown.
 *
 * @public
 */
export function decisionTableMarkdown(): string {
  return table(
    ['rule', 'when', 'action', 'what happens'],
    DECISION_TABLE.map(row => [
      `\`${row.id}\``,
      row.when,
      `\`${row.action}\``,
      row.text,
    ]),
  );
}
