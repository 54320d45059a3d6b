// Everything that is checked, in one run: npm test. With arguments only Jest runs, and gets them (files, -t NAME, …).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runJest } from '../test/jest.mjs';
import { Report } from '../test/report.mjs';
import { staticSteps, runStaticStep } from '../test/static-steps.mjs';

export async function run(args, { stopped }) {
  const report = new Report();
  const scratch = mkdtempSync(path.join(tmpdir(), 'plumbline-test-'));
  try {
    for (const step of args.length ? [] : staticSteps) {
      if (stopped.aborted) break;
      await report.step(step.title, () => runStaticStep(step));
    }
    if (!stopped.aborted) await runJest(report, { args, scratch, stopped });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  if (stopped.aborted) {
    process.stdout.write('\nStopped before the end.\n');
    return 130;
  }
  report.printSummary();
  return report.failed > 0 ? 1 : 0;
}
