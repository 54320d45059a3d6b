// What every command needs: the running servers, and where to print.
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { Endpoint } from '../clients/http';
import { KonnectClient } from '../clients/konnectClient';
import { KubeClient } from '../clients/kubeClient';
import { JsonObject, JsonValue } from '../konnect/json';
import { filesOf, TOKENS } from '../runner/layout';
import type { Endpoints } from '../runner/startSandbox';

/** What a command works with. */
export interface Context {
  dataDir: string;
  json: boolean;
  print: (text: string) => void;
}

/** The sandbox does not run; ends with exit code 1. */
export class NotRunning extends Error {
  constructor(dataDir: string) {
    super(
      `No sandbox is running on ${dataDir}: start one with 'sandbox start', or the portal, which brings its own`,
    );
    this.name = 'NotRunning';
  }
}

/** The two servers, for somebody at a console. @throws NotRunning */
export function endpoints(context: Context): {
  konnect: Endpoint;
  kubernetes: Endpoint;
} {
  let found: Endpoints;
  try {
    const { endpoints: file } = filesOf(context.dataDir);
    found = JSON.parse(readFileSync(file, 'utf8')) as Endpoints;
  } catch {
    // Absent or half written: either way there is nothing to talk to.
    throw new NotRunning(context.dataDir);
  }
  return {
    konnect: { url: found.konnect, token: TOKENS.konnect.console },
    kubernetes: { url: found.kubernetes, token: TOKENS.kubernetes.console },
  };
}

export function konnectClient(context: Context): KonnectClient {
  return new KonnectClient(endpoints(context).konnect);
}

export function kubeClient(context: Context): KubeClient {
  return new KubeClient(endpoints(context).kubernetes);
}

/** Prints an object as YAML, or as JSON where that was asked for. */
export function show(context: Context, value: JsonObject | JsonObject[]): void {
  context.print(
    context.json
      ? JSON.stringify(value, null, 2)
      : stringify(value, { lineWidth: 0 }).trimEnd(),
  );
}

/** Prints rows in columns, or as JSON where that was asked for. */
export function showTable(
  context: Context,
  columns: string[],
  rows: Array<Record<string, JsonValue | undefined>>,
): void {
  if (context.json) {
    show(context, rows);
    return;
  }
  const cells = [
    columns.map(column => column.toLocaleUpperCase('en-US')),
    ...rows.map(row => columns.map(column => String(row[column] ?? ''))),
  ];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map(row => row[index].length)),
  );
  for (const row of cells) {
    context.print(
      row
        .map((cell, index) => cell.padEnd(widths[index]))
        .join('  ')
        .trimEnd(),
    );
  }
}
