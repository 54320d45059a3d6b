/*
 * `drift cases DIR`: runs a folder of cases and says which the engine answers rightly.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decide } from '../decide';
import { evaluate } from '../classify';
import { stringifyJson } from '../json/canonical';
import { normalise } from '../normalise/normalise';
import { isObject } from '../pointer';
import {
  EvaluateInput,
  Evaluation,
  Json,
  JsonObject,
  NormaliseOptions,
  State,
} from '../types';
import { agreedFrom } from './agreed';
import { parseDocuments } from './documents';
import { UsageError } from './errors';
import { secretDigest } from './secret';
import { schemaFor } from './schemas';
import { renderText } from './render';

/** One case as it stands in a file; see the README of the cases. */
interface Case {
  id: string;
  file: string;
  body: JsonObject;
}

interface Answer {
  evaluation: Evaluation;
  states: State[];
}

const strings = (value: Json | undefined): string[] | undefined =>
  Array.isArray(value) ? value.map(String) : undefined;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'ENOENT'
        ? `${folder}: there is no such folder.`
        : `${folder} cannot be read (${code ?? 'unknown error'}).`,
    );
  }
}

function readCases(folder: string): Case[] {
  const files = namesIn(folder)
    .filter(name => /\.(?:ya?ml|json)$/.test(name))
    .sort();
  return files.flatMap(file =>
    parseDocuments(readFileSync(join(folder, file), 'utf8'), file, 'cases').map(
      (body, index) => {
        if (!isObject(body) || typeof body.id !== 'string') {
          throw new Error(
            `${file}: document ${index + 1} is no case: it needs an id.`,
          );
        }
        return { id: body.id, file, body };
      },
    ),
  );
}

function answer({ body, file, id }: Case): Answer {
  const { platform, kind } = body;
  if (typeof platform !== 'string' || typeof kind !== 'string') {
    throw new Error(`${file}: ${id} needs platform and kind.`);
  }
  const schema = schemaFor(platform, kind);
  const options = (side: NormaliseOptions['side']): NormaliseOptions => ({
    schema,
    side,
    secretDigest,
  });
  const declared = body.declared ?? null;
  const live = body.live ?? null;
  const input: EvaluateInput = {
    schema,
    declared:
      declared === null ? null : normalise(declared, options('declared')),
    live: live === null ? null : normalise(live, options('live')),
  };
  if (body.lastAgreed !== undefined && body.lastAgreed !== null) {
    input.lastAgreed = agreedFrom(body.lastAgreed, live ?? undefined, {
      schema,
      secretDigest,
    });
    // It was agreed once, so it is known to us also where its declaration is gone.
    input.facts = { createdBefore: true };
  } else if (body.history !== 'none' && input.declared) {
    input.lastAgreed = input.declared;
  }
  const ownedBefore = strings(body.ownedBefore);
  if (ownedBefore) {
    input.ownedBefore = ownedBefore;
  }
  const states = [input.declared, input.live, input.lastAgreed].filter(
    (state): state is State => !!state,
  );
  return { evaluation: evaluate(input), states };
}

function differs(name: string, wanted: string[], got: string[]): string[] {
  const left = [...wanted].sort().join(' ');
  const right = [...got].sort().join(' ');
  return left === right
    ? []
    : [`${name}: wanted [${left || 'none'}], got [${right || 'none'}]`];
}

/** What is wrong with an answer; empty where the case passes. */
function judge(one: Case, { evaluation, states }: Answer): string[] {
  const expect = one.body.expect;
  if (!isObject(expect)) {
    return ['the case has no expect'];
  }
  const faults: string[] = [];
  for (const name of ['verdict', 'reason'] as const) {
    if (expect[name] !== undefined && expect[name] !== evaluation[name]) {
      faults.push(`${name}: wanted ${expect[name]}, got ${evaluation[name]}`);
    }
  }
  const drift = strings(expect.drift);
  if (drift) {
    const got = evaluation.changes.map(change => change.path);
    faults.push(...differs('drift', drift, got));
  }
  const extras = strings(expect.extras);
  if (extras) {
    const got = evaluation.extras
      .filter(extra => !extra.isDefault)
      .map(extra => extra.path);
    faults.push(...differs('extras', extras, got));
  }
  const reordered = strings(expect.reordered);
  if (reordered) {
    faults.push(...differs('reordered', reordered, evaluation.reordered));
  }
  const printed = [
    stringifyJson(evaluation as unknown as Json),
    renderText(evaluation, { colour: false, title: one.id }),
    ...states.map(
      state =>
        JSON.stringify(state.owners ?? null) +
        stringifyJson([
          state.value,
          state.problems,
          state.warnings,
        ] as unknown as Json),
    ),
    JSON.stringify(
      decide({
        evaluation: { ...evaluation, changes: [], extras: [] },
        policy: {
          mode: 'observe',
          onLiveEdit: 'ask',
          onFirstSight: 'ask',
          actuator: 'direct',
          prune: false,
          paused: false,
        },
      }),
    ),
  ].join('\n');
  (strings(expect.mustNotPrint) ?? []).forEach((secret, index) => {
    if (printed.includes(secret)) {
      faults.push(`mustNotPrint: the ${index + 1}. string is printed`);
    }
  });
  return faults;
}

/**
 * Runs all cases of a folder.
 *
 * @param write - takes one line of output at a time
 * @returns whether all passed
 */
export function runCases(
  folder: string,
  write: (line: string) => void,
): boolean {
  let failed = 0;
  const cases = readCases(folder);
  for (const one of cases) {
    let faults: string[];
    try {
      faults = judge(one, answer(one));
    } catch (error) {
      faults = [error instanceof Error ? error.message : String(error)];
    }
    if (faults.length > 0) {
      failed += 1;
      write(`FAIL ${one.file} ${one.id}`);
      faults.forEach(fault => write(`     ${fault}`));
    }
  }
  write(`${cases.length - failed} passed, ${failed} failed`);
  return failed === 0 && cases.length > 0;
}
