/*
 * The commands of `drift`, their options and exit codes.
 */
import { parseArgs, ParseArgsConfig } from 'node:util';
import { redactText } from '../redact/text';
import { runCases } from './cases';
import { CompareOptions, OUTPUTS, runCompare } from './compare';
import { UsageError } from './errors';

const HELP = `drift: says whether what runs is what was declared

  drift compare --declared FILE --live FILE [--last-agreed FILE | --first-sight]
                [--kind KIND] [--platform kubernetes|konnect] [--schema FILE]... [-o text|json|yaml]
  drift cases FOLDER

compare
  --declared FILE     what was declared: YAML or JSON, any number of documents; - reads standard input
  --live FILE         what a fresh read returned; documents are matched by kind, namespace and name
  --last-agreed FILE  the last state on which both sides were equal; tells who moved.
                      Without it the past is taken to equal the declared side
  --first-sight       there is no past: a difference is drift of unknown origin
  --kind KIND         apps/v1/Deployment, or a Konnect collection such as services;
                      not needed where the documents say apiVersion and kind
  --platform NAME     kubernetes (default where documents have apiVersion) or konnect
  --schema FILE       OpenAPI v2 or v3 of the cluster, a CustomResourceDefinition, a Konnect plugin schema,
                      or a schema in Plumbline's own form; may be given more than once
  -o, --output        text (default), json or yaml
  --all               text: show resources that are in sync too

cases
  runs a folder of cases and ends with "N passed, N failed"

replay (decides again what a backend decided) comes with the backend, which knows its database: drift-replay --help

Exit codes: 0 in sync, 1 drift, 2 error. Secrets are never printed.
`;

/** Where a command writes. @public */
export interface Output {
  out(text: string): void;
  err(text: string): void;
  colour: boolean;
}

const terminal: Output = {
  out: text => process.stdout.write(`${text}\n`),
  err: text => process.stderr.write(`${text}\n`),
  colour:
    process.env.FORCE_COLOR !== undefined ||
    (process.stdout.isTTY === true && process.env.NO_COLOR === undefined),
};

const OPTIONS = {
  declared: { type: 'string' },
  live: { type: 'string' },
  'last-agreed': { type: 'string' },
  'first-sight': { type: 'boolean' },
  kind: { type: 'string' },
  platform: { type: 'string' },
  schema: { type: 'string', multiple: true },
  output: { type: 'string', short: 'o' },
  all: { type: 'boolean' },
} satisfies ParseArgsConfig['options'];

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: false })
      .values;
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message : String(error),
    );
  }
}

function compareOptions(args: string[]): CompareOptions {
  const values = parse(args);
  const { declared, live, platform, output = 'text' } = values;
  if (!declared || !live) {
    throw new UsageError('compare needs --declared FILE and --live FILE.');
  }
  if (values['last-agreed'] && values['first-sight']) {
    throw new UsageError(
      '--last-agreed and --first-sight exclude each other: give one of them.',
    );
  }
  const files = [declared, live, values['last-agreed']];
  if (files.filter(file => file === '-').length > 1) {
    throw new UsageError('Only one of the files can be standard input.');
  }
  const onPlatform = (['kubernetes', 'konnect'] as const).find(
    one => one === platform,
  );
  if (platform && !onPlatform) {
    throw new UsageError('--platform must be kubernetes or konnect.');
  }
  const known = OUTPUTS.find(one => one === output);
  if (!known) {
    throw new UsageError(`--output must be one of ${OUTPUTS.join(', ')}.`);
  }
  const options: CompareOptions = {
    declared,
    live,
    firstSight: values['first-sight'] ?? false,
    schemas: values.schema ?? [],
    output: known,
    all: values.all ?? false,
  };
  if (values['last-agreed']) options.lastAgreed = values['last-agreed'];
  if (values.kind) options.kind = values.kind;
  if (onPlatform) options.platform = onPlatform;
  return options;
}

/**
 * Runs one command.
 *
 * @returns the exit code: 0 in sync, 1 drift, 2 error
 * @public
 */
export async function main(
  args: string[],
  output: Output = terminal,
): Promise<number> {
  const [command, ...rest] = args;
  if (rest.includes('--help') || rest.includes('-h')) {
    output.out(HELP);
    return 0;
  }
  try {
    switch (command) {
      case 'compare':
        return runCompare(compareOptions(rest), output);
      case 'cases':
        if (rest.length !== 1) {
          throw new UsageError('cases needs one folder.');
        }
        return runCases(rest[0], line => output.out(line)) ? 0 : 1;
      case undefined:
      case 'help':
      case '-h':
      case '--help':
        output.out(HELP);
        return command === undefined ? 2 : 0;
      case 'replay':
        throw new UsageError(
          'replay reads the database of the drift backend and comes with it: use drift-replay of @plumbline/backstage-plugin-drift-backend.',
        );
      default:
        throw new UsageError(
          `"${command}" is no command; there are compare, cases and help.`,
        );
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    output.err(redactText(`drift: ${message}`));
    if (error instanceof UsageError) {
      output.err('See: drift help');
    }
    return 2;
  }
}
