// The table of root tasks: their names, what they are for, and where they are written.

const tasks = [
  {
    name: 'start',
    summary: 'the example portal with the embedded sandbox',
    load: () => import('./tasks/start.mjs'),
  },
  {
    name: 'test',
    summary:
      'everything that is checked; ends with "N passed, N failed, N skipped"',
    load: () => import('./tasks/test.mjs'),
  },
  {
    name: 'sandbox',
    summary: 'look at and edit the running sandbox, on either side',
    load: () => import('./tasks/sandbox.mjs'),
  },
  {
    name: 'drift',
    summary: 'the engine on files: drift compare, drift cases DIR',
    load: () => import('./tasks/drift.mjs'),
  },
  {
    name: 'simulate',
    summary: 'the loop under random faults: --seeds N [--from S], or --mutants',
    load: () => import('./tasks/simulate.mjs'),
  },
  {
    name: 'replicas',
    summary:
      'real replicas on a real PostgreSQL, killed at random: [--resources N]',
    load: () => import('./tasks/replicas.mjs'),
  },
  {
    name: 'bench',
    summary: 'benchmarks, printed as ratios: bench NAME',
    load: () => import('./tasks/bench.mjs'),
  },
  {
    name: 'mutate',
    summary:
      'mutation testing of the engine: [--mutate src/decide.ts]; slow, no part of test',
    load: () => import('./tasks/mutate.mjs'),
  },
  {
    name: 'lint',
    summary: 'ESLint over all packages',
    load: () => import('./tasks/lint.mjs'),
  },
  {
    name: 'tsc',
    summary: 'type-check everything',
    load: () => import('./tasks/tsc.mjs'),
  },
  {
    name: 'build',
    summary: 'build all packages for publishing and deployment',
    load: () => import('./tasks/build.mjs'),
  },
  {
    name: 'fix',
    summary: 'ESLint --fix, then prettier --write',
    load: () => import('./tasks/fix.mjs'),
  },
];

export function findTask(name) {
  return tasks.find(task => task.name === name);
}

export function describeTasks() {
  const rows = tasks.map(
    ({ name, summary }) => `  ${name.padEnd(10)}${summary}`,
  );
  return [
    'Tasks: npm run NAME -- ARGUMENTS, or yarn NAME ARGUMENTS',
    ...rows,
    '',
    'Environment: DRIFT_NODE_VERSION=22.x.y tries another Node; DRIFT_SKIP_INSTALL=1 leaves node_modules as it is.',
  ].join('\n');
}
