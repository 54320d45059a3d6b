/** The generated files are what the OpenAPI document says. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

describe('generated files', () => {
  it('are up to date with schema/openapi.yaml', () => {
    const script = resolve(__dirname, '../scripts/generate.mjs');
    expect(() =>
      execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' }),
    ).not.toThrow();
  });
});
