// Counts steps and tests, and prints what the person at the terminal needs to know.
import { seconds } from '../launch/progress.mjs';

const print = text => process.stdout.write(`${text}\n`);

export class Report {
  passed = 0;
  failed = 0;
  skipped = 0;
  #failures = [];
  #leftOut = [];

  /**
   * Runs one step and counts it. A step that throws has failed.
   *
   * @param work - resolves to `ok`, and `output` to show where it is not
   */
  async step(title, work) {
    print(`\n── ${title}`);
    const started = Date.now();
    let result;
    try {
      result = await work();
    } catch (error) {
      result = { ok: false, output: error.stack };
    }
    if (!result.ok && result.output) print(result.output.trimEnd());
    const outcome = result.ok ? 'ok' : 'FAILED';
    print(`   ${outcome}: ${title} (${seconds(Date.now() - started)})`);
    if (result.ok) this.passed += 1;
    else this.fail(title);
    return result;
  }

  fail(title) {
    this.failed += 1;
    this.#failures.push(title);
  }

  /** Notes a test or a part that did not run, with the reason where it is known. */
  skip(title, count = 1) {
    this.skipped += count;
    this.#leftOut.push(title);
  }

  /** Says that something was left out that is not itself a test. */
  note(text) {
    this.#leftOut.push(text);
  }

  printSummary() {
    if (this.#leftOut.length) {
      print('\nLeft out:');
      for (const line of this.#leftOut) print(`  - ${line}`);
    }
    if (this.#failures.length) {
      print('\nFailed:');
      for (const line of this.#failures) print(`  - ${line}`);
    }
    print(
      `\n${this.passed} passed, ${this.failed} failed, ${this.skipped} skipped`,
    );
  }
}
