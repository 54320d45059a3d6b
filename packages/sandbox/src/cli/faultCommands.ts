// `sandbox fault …` and `sandbox requests`: order faults, and count what the servers were asked.
import { Endpoint, request } from '../clients/http';
import { FAULT_KINDS, FaultOrder } from '../faults';
import { JsonObject } from '../konnect/json';
import { Context, endpoints, showTable } from './context';
import { UsageError } from './usage';

/** The options of `fault add`, as text. */
export type FaultArguments = Partial<
  Record<
    | 'method'
    | 'path'
    | 'times'
    | 'probability'
    | 'ms'
    | 'jitter-ms'
    | 'status'
    | 'retry-after'
    | 'when'
    | 'how',
    string
  >
>;

/** Runs one `fault` command. @throws UsageError, RequestFailed, NotRunning */
export async function faultCommand(
  context: Context,
  [verb, side, ...rest]: string[],
  options: FaultArguments,
): Promise<void> {
  switch (verb) {
    case 'add': {
      const [kind] = rest;
      if (!side || !kind) {
        throw new UsageError(
          `sandbox fault add konnect|kube ${FAULT_KINDS.join('|')}`,
        );
      }
      const order = orderOf(kind, options);
      const fault = await request(
        sideOf(context, side).endpoint,
        'POST',
        '/sandbox/faults',
        order as unknown as JsonObject,
      );
      context.print(`Ordered ${fault?.id}: ${describe(fault ?? {})}`);
      return;
    }
    case 'list': {
      const rows: Array<{
        side: string;
        id: string;
        hits: number;
        fault: string;
      }> = [];
      for (const { name, endpoint } of sidesOf(context, side)) {
        const answer = await request(endpoint, 'GET', '/sandbox/faults');
        for (const fault of (answer?.faults ?? []) as JsonObject[]) {
          rows.push({
            side: name,
            id: String(fault.id),
            hits: Number(fault.hits),
            fault: describe(fault),
          });
        }
      }
      showTable(context, ['side', 'id', 'hits', 'fault'], rows);
      return;
    }
    case 'clear': {
      const [id] = rest;
      let cleared = 0;
      for (const { endpoint } of sidesOf(context, side)) {
        const path = id ? `/sandbox/faults/${id}` : '/sandbox/faults';
        const answer = await request(endpoint, 'DELETE', path);
        cleared += Number(answer?.cleared ?? 0);
      }
      context.print(`Cleared ${cleared}`);
      return;
    }
    default:
      throw new UsageError(
        `There is no 'sandbox fault ${verb ?? ''}': there are add, list, clear`,
      );
  }
}

/** Prints the request counters of both sides, or sets them to zero. @throws RequestFailed, NotRunning */
export async function requestsCommand(
  context: Context,
  reset: boolean,
): Promise<void> {
  const { konnect, kubernetes } = endpoints(context);
  if (reset) {
    await request(konnect, 'DELETE', '/sandbox/requests');
    await request(kubernetes, 'DELETE', '/sandbox/requests');
    context.print('Both counters are at zero');
    return;
  }
  const report = await request(konnect, 'GET', '/sandbox/requests');
  const counted = await fetch(`${kubernetes.url}/sandbox/requests`);
  const onCluster = (await counted.json()) as JsonObject[];
  showTable(
    context,
    ['side', 'count', 'writes', 'request'],
    [
      ...((report?.requests ?? []) as JsonObject[]).map(entry => ({
        side: 'konnect',
        count: entry.count,
        writes: entry.method === 'GET' ? 0 : entry.count,
        request: `${entry.method} ${entry.path}`,
      })),
      ...onCluster.map(entry => ({
        side: 'kube',
        count: entry.count,
        writes: entry.writes,
        request: `${entry.verb} ${entry.resource}`,
      })),
    ],
  );
}

function sideOf(
  context: Context,
  side: string,
): { name: string; endpoint: Endpoint } {
  const { konnect, kubernetes } = endpoints(context);
  if (side === 'konnect') return { name: 'konnect', endpoint: konnect };
  if (side === 'kube') return { name: 'kube', endpoint: kubernetes };
  throw new UsageError(
    `There is no side '${side}': there are konnect and kube`,
  );
}

function sidesOf(context: Context, side: string | undefined) {
  return (side ? [side] : ['konnect', 'kube']).map(name =>
    sideOf(context, name),
  );
}

function orderOf(kind: string, options: FaultArguments): FaultOrder {
  const number = (name: keyof FaultArguments) => {
    const text = options[name];
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() === '' || Number.isNaN(value)) {
      throw new UsageError(`--${name} must be a number, not '${text}'`);
    }
    return value;
  };
  // The server checks the rest and says what is wrong.
  const order: Record<keyof FaultOrder, unknown> = {
    kind,
    method: options.method,
    path: options.path,
    times: number('times'),
    probability: number('probability'),
    ms: number('ms'),
    jitterMs: number('jitter-ms'),
    status: number('status'),
    retryAfter: number('retry-after'),
    when: options.when,
    how: options.how,
  };
  return Object.fromEntries(
    Object.entries(order).filter(([, value]) => value !== undefined),
  ) as unknown as FaultOrder;
}

function describe({ id: _i, hits: _h, kind, ...settings }: JsonObject): string {
  return [
    String(kind),
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  ].join(' ');
}
