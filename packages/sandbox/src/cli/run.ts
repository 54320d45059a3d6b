// The command line as a function: arguments in, exit code out.
import { parseArgs } from 'node:util';
import { request } from '../clients/http';
import { JsonObject } from '../konnect/json';
import { DEFAULT_DATA_DIR } from '../runner/layout';
import { startSandbox } from '../runner/startSandbox';
import {
  Context,
  endpoints,
  konnectClient,
  kubeClient,
  showTable,
} from './context';
import { faultCommand, requestsCommand } from './faultCommands';
import { konnectCommand } from './konnectCommands';
import { kubeCommand } from './kubeCommands';
import { manifestCommand } from './manifestCommands';
import { USAGE, UsageError } from './usage';

/** Where a run prints, and what ends `start`. */
export interface RunOptions {
  print: (text: string) => void;
  printError: (text: string) => void;
  /** `start` runs until this is aborted. */
  signal: AbortSignal;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const OPTIONS = {
  help: { ...flag, short: 'h' },
  json: flag,
  clean: flag,
  reset: flag,
  namespace: { ...text, short: 'n' },
  file: { ...text, short: 'f' },
  'data-dir': text,
  'konnect-port': text,
  'kubernetes-port': text,
  method: text,
  path: text,
  times: text,
  probability: text,
  ms: text,
  'jitter-ms': text,
  status: text,
  'retry-after': text,
  when: text,
  how: text,
} as const;

/** Runs one command. @returns 0 done, 1 refused, not found or not running, 2 wrong usage */
export async function run(
  args: string[],
  { print, printError, signal }: RunOptions,
): Promise<number> {
  try {
    const { values, positionals } = parse(args);
    const [command, ...rest] = positionals;
    if (values.help || command === 'help') {
      print(USAGE);
      return 0;
    }
    const context: Context = {
      dataDir: values['data-dir'] ?? DEFAULT_DATA_DIR,
      json: values.json ?? false,
      print,
    };
    switch (command) {
      case 'start':
        await start(context, values, signal);
        return 0;
      case 'status':
        await status(context);
        return 0;
      case 'reset':
        await request(
          endpoints(context).konnect,
          'POST',
          `/sandbox/reset${values.clean ? '?clean=true' : ''}`,
        );
        print('The sandbox is as it was at first');
        return 0;
      case 'konnect':
        await konnectCommand(context, rest);
        return 0;
      case 'kube':
        await kubeCommand(context, rest, values);
        return 0;
      case 'manifest':
        manifestCommand(context, rest, values);
        return 0;
      case 'fault':
        await faultCommand(context, rest, values);
        return 0;
      case 'requests':
        await requestsCommand(context, values.reset ?? false);
        return 0;
      default:
        throw new UsageError(
          command ? `There is no command '${command}'` : 'Name a command',
        );
    }
  } catch (error) {
    printError((error as Error).message);
    if (!(error instanceof UsageError)) return 1;
    printError("See 'sandbox help'.");
    return 2;
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function port(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (!Number.isInteger(value) || value < 0 || value > 65535) {
    throw new UsageError(
      `--${name} must be a port from 0 to 65535, not '${given}'`,
    );
  }
  return value;
}

async function start(
  context: Context,
  values: {
    clean?: boolean;
    'konnect-port'?: string;
    'kubernetes-port'?: string;
  },
  signal: AbortSignal,
): Promise<void> {
  const sandbox = await startSandbox({
    dataDir: context.dataDir,
    clean: values.clean,
    ports: {
      konnect: port('konnect-port', values['konnect-port']),
      kubernetes: port('kubernetes-port', values['kubernetes-port']),
    },
    log: context.print,
  });
  if (!signal.aborted) {
    await new Promise<void>(resolve => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  await sandbox.close();
  context.print('The sandbox has stopped; its state is kept.');
}

async function status(context: Context): Promise<void> {
  const { konnect, kubernetes } = endpoints(context);
  const planes = await konnectClient(context).controlPlanes();
  const kube = kubeClient(context);
  const kinds = [
    'KongService',
    'KongRoute',
    'Deployment',
    'Service',
    'ConfigMap',
  ];
  const counts = await Promise.all(
    kinds.map(async name => (await kube.list(await kube.kind(name))).length),
  );
  showTable(
    context,
    ['side', 'url', 'holds'],
    [
      {
        side: 'konnect',
        url: konnect.url,
        holds: planes.map(({ name }: JsonObject) => name).join(', '),
      },
      {
        side: 'kube',
        url: kubernetes.url,
        holds: kinds
          .map((name, index) => `${counts[index]} ${name}`)
          .join(', '),
      },
    ],
  );
}
