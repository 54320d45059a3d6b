/*
 * Makes src/schema/*.generated.ts from schema/openapi.yaml: the types of the typed client, and the document that the
 * backend validates requests and responses with. `--check` only says whether they are up to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';

const here = new URL('../', import.meta.url);
const note =
  '// Made from schema/openapi.yaml by scripts/generate.mjs; do not edit.\n';

const document = parse(
  await readFile(new URL('schema/openapi.yaml', here), 'utf8'),
);
const files = {
  'src/schema/openapi.generated.ts':
    note + astToString(await openapiTypescript(structuredClone(document))),
  'src/schema/document.generated.ts': `${note}
/**
 * The OpenAPI document of the drift API.
 *
 * @public
 */
export const openApiDocument: { [key: string]: unknown } = ${JSON.stringify(
    document,
    null,
    2,
  )};
`,
};

let stale = false;
for (const [name, text] of Object.entries(files)) {
  const url = new URL(name, here);
  if (process.argv.includes('--check')) {
    const current = await readFile(url, 'utf8').catch(() => '');
    if (current !== text) {
      stale = true;
      process.stderr.write(
        `${name} is not what schema/openapi.yaml says; run "yarn workspace @plumbline/backstage-plugin-drift-common generate"\n`,
      );
    }
  } else {
    await writeFile(url, text);
  }
}
process.exitCode = stale ? 1 : 0;
