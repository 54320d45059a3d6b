/*
 * A field diff that a person likes to read.
 */
import { Evaluation, FieldChange, Json, MovedBy } from '../types';
import { secretMark } from '../compare/equal';
import { stringifyJson } from '../json/canonical';

/** @internal */
export interface RenderOptions {
  colour: boolean;
  title: string;
}

type Paint = (code: number, text: string) => string;

const painter =
  (colour: boolean): Paint =>
  (code, text) =>
    colour ? `\u001b[${code}m${text}\u001b[0m` : text;

const RED = 31;
const GREEN = 32;
const YELLOW = 33;
const CYAN = 36;
const BOLD = 1;
const DIM = 2;

const COLOURS: Partial<Record<Evaluation['verdict'], number>> = {
  InSync: GREEN,
  Pending: CYAN,
  Unknown: DIM,
  Drifted: YELLOW,
  Contested: YELLOW,
};

const MOVED: Record<MovedBy, string> = {
  live: 'live moved',
  declared: 'the declaration moved',
  both: 'both sides moved',
  unknown: 'nobody knows who moved',
};

function lines(value: Json | undefined): string[] {
  if (value === undefined) {
    return ['(absent)'];
  }
  if (secretMark(value) !== undefined) {
    return ['(secret)'];
  }
  return stringifyJson(value, 2).split('\n');
}

function block(
  sign: string,
  value: Json | undefined,
  code: number,
  paint: Paint,
): string[] {
  return lines(value).map(line => paint(code, `    ${sign} ${line}`));
}

function renderChange(change: FieldChange, paint: Paint): string[] {
  const notes = [
    change.kind === 'leftover' ? 'left behind' : MOVED[change.movedBy],
    ...(change.contested ? ['kept by another controller'] : []),
    ...(change.owners ?? []).map(
      owner => `${owner.manager}${owner.time ? ` at ${owner.time}` : ''}`,
    ),
  ];
  const out = [
    `  ${paint(BOLD, change.path)}  ${paint(DIM, notes.join(', '))}`,
  ];
  if (change.kind === 'leftover') {
    return [...out, ...block('-', change.live, RED, paint)];
  }
  return [
    ...out,
    ...block('- live    ', change.live, RED, paint),
    ...block('+ declared', change.declared, GREEN, paint),
  ];
}

/** One resource's evaluation as text for a terminal. */
export function renderText(
  evaluation: Evaluation,
  options: RenderOptions,
): string {
  const paint = painter(options.colour);
  const out = [
    `${paint(BOLD, options.title)}: ${paint(
      COLOURS[evaluation.verdict] ?? RED,
      evaluation.verdict,
    )} (${evaluation.reason})`,
    `  ${evaluation.message}`,
  ];
  for (const change of evaluation.changes) {
    out.push(...renderChange(change, paint));
  }
  const extras = evaluation.extras.filter(extra => !extra.isDefault);
  if (extras.length > 0) {
    out.push(paint(DIM, '  Not declared, and left alone:'));
    for (const extra of extras) {
      out.push(paint(DIM, `    ${extra.path}`));
    }
  }
  for (const path of evaluation.reordered) {
    out.push(paint(DIM, `  Another order (no drift): ${path}`));
  }
  for (const problem of evaluation.problems) {
    out.push(`  ${paint(RED, problem.reason)} ${problem.message}`);
  }
  for (const warning of evaluation.warnings) {
    out.push(`  ${paint(YELLOW, warning.reason)} ${warning.message}`);
  }
  return out.join('\n');
}
