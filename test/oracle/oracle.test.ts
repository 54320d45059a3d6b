/*
 * The engine against an API server: would a server-side apply change anything, and where? Recorded answers
 * everywhere; a real server where KUBEBUILDER_ASSETS names one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonical,
  kubernetesSchema,
  parseJson,
  ResourceSchema,
} from '@plumbline/drift-engine';
import { EXPLANATIONS, explain } from './explained';
import { judge, Pair } from './judge';
import { seededRandom } from './random';
import { schemaOf } from './run';
import { ask, Oracle, startOracle } from './server';

interface Recorded {
  pairs: Pair[];
  schemas: Record<string, ResourceSchema>;
}

function recorded(): Recorded {
  const text = readFileSync(join(__dirname, 'recorded.json'), 'utf8');
  return parseJson(text) as unknown as Recorded;
}

/** What remains unexplained, in a form that says what to look at. */
function disagreements(pairs: Pair[], schema: ResourceSchema) {
  const reasons: Record<string, number> = {};
  const unexplained: string[] = [];
  for (const pair of pairs) {
    const judgement = judge(pair, schema);
    if (!judgement.agree) {
      const reason = explain(pair, judgement);
      if (reason) {
        reasons[reason.id] = (reasons[reason.id] ?? 0) + 1;
      } else {
        const { evaluation, server } = judgement;
        unexplained.push(
          `${pair.gvk}: the server would change [${server.join(', ')}]; ` +
            `the engine says ${evaluation.verdict} [${evaluation.changes
              .map(change => change.path)
              .join(', ')}]; declared ${canonical(pair.declared).slice(
              0,
              1500,
            )}`,
        );
      }
    }
  }
  return { reasons, unexplained };
}

describe('the oracle’s recorded answers', () => {
  const { pairs, schemas } = recorded();
  const kinds = [...new Set(pairs.map(pair => pair.gvk))];

  it('cover many kinds, and both answers', () => {
    expect(kinds.length).toBeGreaterThanOrEqual(20);
    const changed = pairs.filter(
      pair =>
        judge(pair, schemas[pair.gvk] ?? kubernetesSchema(pair.gvk)).server
          .length > 0,
    );
    expect(changed.length).toBeGreaterThan(pairs.length / 5);
    expect(changed.length).toBeLessThan((pairs.length * 4) / 5);
  });

  it.each(kinds)('%s: the engine agrees', gvk => {
    const schema = schemas[gvk] ?? kubernetesSchema(gvk);
    const mine = pairs.filter(pair => pair.gvk === gvk);
    expect(disagreements(mine, schema).unexplained).toEqual([]);
  });

  it('names the reason of every disagreement in the documentation', () => {
    const docs = readFileSync(join(__dirname, '../../docs/oracle.md'), 'utf8');
    for (const { id, why } of EXPLANATIONS) {
      expect(docs).toContain(`\`${id}\``);
      expect(docs).toContain(why);
    }
  });
});

const assets = process.env.KUBEBUILDER_ASSETS;
const describeReal = assets ? describe : describe.skip;
const PAIRS = Number(process.env.DRIFT_ORACLE_PAIRS ?? 2000);
const SEED = Number(process.env.DRIFT_ORACLE_SEED ?? 1);

describeReal('a real API server (needs KUBEBUILDER_ASSETS)', () => {
  let oracle: Oracle;

  beforeAll(async () => {
    oracle = await startOracle(assets!);
  }, 120_000);

  afterAll(() => oracle?.stop());

  it(`agrees with the engine over ${PAIRS} pairs`, async () => {
    const perKind = Math.ceil(PAIRS / oracle.kinds.length);
    const random = seededRandom(SEED);
    const unexplained: string[] = [];
    const reasons: Record<string, number> = {};
    let total = 0;
    for (const kind of oracle.kinds) {
      const { pairs } = await ask(oracle, kind, perKind, random);
      const found = disagreements(pairs, schemaOf(kind, oracle.openapiV2));
      total += pairs.length;
      unexplained.push(...found.unexplained);
      for (const [id, count] of Object.entries(found.reasons)) {
        reasons[id] = (reasons[id] ?? 0) + count;
      }
    }
    const explained = Object.values(reasons).reduce((sum, n) => sum + n, 0);
    process.stdout.write(
      `oracle: ${total} pairs of ${
        oracle.kinds.length
      } kinds, ${explained} explained disagreements ${JSON.stringify(
        reasons,
      )}, ${unexplained.length} unexplained\n`,
    );
    expect(unexplained).toEqual([]);
    expect(explained).toBeLessThan(total / 20);
  }, 900_000);
});
