/** The simulation in short: some seeds, the same seed twice, and rules broken on purpose. The long run is `yarn simulate`. */
import { MUTANTS } from './mutants';
import { SeedRunner } from './runner';

const SEEDS = 30;

describe('simulation of the loop', () => {
  let runner: SeedRunner;

  beforeAll(async () => {
    runner = await SeedRunner.open();
  });

  afterAll(async () => {
    await runner.close();
  });

  it(`breaks no invariant in ${SEEDS} seeds`, async () => {
    const sums = { writes: 0, deaths: 0, passes: 0, nudges: 0, knownPages: 0 };
    for (let seed = 1; seed <= SEEDS; seed++) {
      const outcome = await runner.run({ seed });
      // the story is what one needs to see
      expect(outcome.story.join('\n')).toBe('');
      sums.writes += outcome.writes;
      sums.deaths += outcome.deaths;
      sums.passes += outcome.passes;
      sums.nudges += outcome.nudges;
      sums.knownPages += outcome.knownPages;
    }
    // something happened
    expect(sums.writes).toBeGreaterThan(SEEDS);
    expect(sums.deaths).toBeGreaterThan(SEEDS / 3);
    expect(sums.passes).toBeGreaterThan(20 * SEEDS);
    expect(sums.nudges).toBeGreaterThan(SEEDS / 3);
    expect(sums.knownPages).toBeGreaterThan(SEEDS);
  }, 120_000);

  it('replays a seed exactly', async () => {
    const first = await runner.run({ seed: 7 });
    await runner.run({ seed: 8 });
    const again = await runner.run({ seed: 7 });
    expect(again.trace).toBe(first.trace);
  }, 60_000);

  it.each([
    'drop-the-re-read',
    'put-without-overlay',
    'forget-the-intent',
    'write-beside-the-operator',
  ])(
    'catches %s',
    async name => {
      const caughtBy = MUTANTS.find(mutant => mutant.name === name)?.caughtBy;
      const outcomes = [];
      for (let seed = 1; seed <= 5; seed++) {
        outcomes.push((await runner.run({ seed, mutant: name })).violation);
      }
      const caught = outcomes.filter(
        violation => violation && caughtBy?.includes(violation.invariant),
      );
      expect(caught.length).toBeGreaterThan(0);
    },
    60_000,
  );

  it('has at least twelve rules to break', () => {
    expect(new Set(MUTANTS.map(mutant => mutant.name)).size).toBeGreaterThan(
      12,
    );
  });
});
