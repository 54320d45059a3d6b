/*
 * Values under older names of fields, moved to where they stand now.
 */
import { Aliases, Json, JsonObject } from '../types';
import { getAt, removeAt, setAt } from '../pointer';

const NODE = /^(\[[^\]]+\]|[^:[\]]+):(\d+)$/;

/** `host:port` as the newer lists of nodes write it; by the name of the list. */
function asNodes(value: Json, name: string): Json {
  const host = { sentinel_nodes: 'host', cluster_nodes: 'ip' }[name];
  if (host === undefined || !Array.isArray(value)) {
    return value;
  }
  return value.map(item => {
    const parts = typeof item === 'string' ? NODE.exec(item) : null;
    return parts ? { [host]: parts[1], port: Number(parts[2]) } : item;
  });
}

/** Moves values from older names to newer ones. The newer name wins where both are given: it is what the platform reads. */
export function renamed(value: JsonObject, aliases: Aliases): JsonObject {
  let out: JsonObject = value;
  for (const [old, now] of Object.entries(aliases)) {
    const from = old.split('/');
    const before = getAt(out, from);
    if (before !== undefined) {
      out = removeAt(out, from) as JsonObject;
      for (const name of before === null ? [] : [now].flat()) {
        const target = name.split('/');
        if ((getAt(out, target) ?? null) === null) {
          const last = target[target.length - 1];
          out = setAt(out, target, asNodes(before, last)) as JsonObject;
        }
      }
    }
  }
  return out;
}
