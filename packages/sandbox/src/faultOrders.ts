// What a fault can be told to do, and the check of an order that came in.
import type { Request } from 'express';

/** What a fault does. See {@link FaultOrder} for the settings of each. */
export const FAULT_KINDS = [
  'latency',
  'status',
  'throttle',
  'drop',
  'truncate',
  'empty',
  'stale',
] as const;

/** One of {@link FAULT_KINDS}. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault as it is ordered (`POST /sandbox/faults`). */
export interface FaultOrder {
  /**
   * `latency`: the answer comes late. `status`: an error instead of the answer. `throttle`: 429. `drop`: the connection
   * ends without an answer. `truncate`: half of a list. `empty`: a list without items. `stale`: reads are answered as
   * they were before the fault was ordered.
   */
  kind: FaultKind;
  /** Only requests with this method. Absent: all. */
  method?: string;
  /** Only paths like this, without the query; `*` stands for anything. Absent: all. */
  path?: string;
  /** So many requests, then the fault is over. Absent: until it is cleared. */
  times?: number;
  /** The share of the requests that are hit, 0 to 1. Absent: all. */
  probability?: number;
  /** latency: milliseconds. */
  ms?: number;
  /** latency: up to so many milliseconds more, at random. */
  jitterMs?: number;
  /** status: the status code. @defaultValue 503 */
  status?: number;
  /** throttle, status: seconds for `Retry-After`. Absent: no such header. */
  retryAfter?: number;
  /** status, drop: whether the request has taken effect before it fails. @defaultValue 'before' */
  when?: 'before' | 'after';
  /**
   * truncate: `broken` JSON that stops half way, `cut`: the connection ends half way, `short`: half of the items, and
   * nothing says that there are more. @defaultValue 'broken'
   */
  how?: 'broken' | 'cut' | 'short';
}

/** A fault in force. */
export interface Fault extends FaultOrder {
  id: string;
  /** How many requests it has hit. */
  hits: number;
}

/** Whether a fault is meant for requests like this one. */
export function matches(fault: FaultOrder, request: Request): boolean {
  if (fault.method && fault.method !== request.method) return false;
  if (!fault.path) return true;
  const pattern = fault.path
    .split('*')
    .map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(request.path);
}

/** Says which field of an order is wrong and what it may be. */
export function checkOrder(order: FaultOrder): FaultOrder {
  if (typeof order !== 'object' || order === null) {
    throw new Error('A fault must be a JSON object with a kind');
  }
  const wrong = (field: keyof FaultOrder, allowed: string): never => {
    throw new Error(
      `Fault field '${field}' is ${JSON.stringify(
        order[field],
      )}: it must be ${allowed}`,
    );
  };
  const number = (field: keyof FaultOrder, min: number, max: number) => {
    const value = order[field];
    if (value === undefined) return;
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      wrong(field, `a number from ${min} to ${max}`);
    }
  };
  const known: Array<keyof FaultOrder> = [
    ...(['kind', 'method', 'path', 'times', 'probability', 'ms'] as const),
    ...(['jitterMs', 'status', 'retryAfter', 'when', 'how'] as const),
  ];
  const unknown = Object.keys(order).find(
    field => !known.includes(field as keyof FaultOrder),
  );
  if (unknown) {
    throw new Error(
      `There is no fault field '${unknown}': there are ${known.join(', ')}`,
    );
  }
  if (!FAULT_KINDS.includes(order.kind)) {
    wrong('kind', `one of ${FAULT_KINDS.join(', ')}`);
  }
  if (order.method !== undefined && typeof order.method !== 'string') {
    wrong('method', 'an HTTP method such as GET');
  }
  if (order.path !== undefined && typeof order.path !== 'string') {
    wrong('path', 'a path with * for anything');
  }
  if (order.when !== undefined && !['before', 'after'].includes(order.when)) {
    wrong('when', 'before or after');
  }
  if (
    order.how !== undefined &&
    !['broken', 'cut', 'short'].includes(order.how)
  ) {
    wrong('how', 'broken, cut or short');
  }
  if (order.times !== undefined && !Number.isInteger(order.times)) {
    wrong('times', 'a whole number, at least 1');
  }
  number('times', 1, Number.MAX_SAFE_INTEGER);
  number('probability', 0, 1);
  number('ms', 0, 600_000);
  number('jitterMs', 0, 600_000);
  number('status', 400, 599);
  number('retryAfter', 0, 86_400);
  if (
    order.kind === 'latency' &&
    order.ms === undefined &&
    order.jitterMs === undefined
  ) {
    wrong('ms', 'given for latency: milliseconds');
  }
  return {
    ...order,
    ...(order.method && { method: order.method.toUpperCase() }),
  };
}
