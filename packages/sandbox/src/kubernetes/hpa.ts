/** Horizontal pod autoscalers are served in two versions that differ in more than their name. */
import { Json, JsonObject, at, clone, isObject, objects } from './json';

const UTILIZATION = ['resource', 'target', 'averageUtilization'];

/** Turns an autoscaler into another version; what `v1` cannot say is left out. */
export function convertAutoscaler(
  object: JsonObject,
  version: string,
): JsonObject {
  const spec = isObject(object.spec) ? clone(object.spec) : {};
  if (version === 'v1' && spec.metrics !== undefined) {
    const cpu = objects(spec.metrics).find(
      metric => at(metric, 'resource', 'name') === 'cpu',
    );
    delete spec.metrics;
    delete spec.behavior;
    const percentage = at(cpu, ...UTILIZATION);
    if (percentage !== undefined) {
      spec.targetCPUUtilizationPercentage = percentage;
    }
    return { ...object, spec, status: counters(object.status) };
  }
  if (version !== 'v1' && spec.targetCPUUtilizationPercentage !== undefined) {
    const averageUtilization = spec.targetCPUUtilizationPercentage;
    delete spec.targetCPUUtilizationPercentage;
    const target: JsonObject = { type: 'Utilization', averageUtilization };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
    const status = {
      ...counters(object.status),
      currentMetrics: null,
      conditions: null,
    };
    return { ...object, spec, status };
  }
  return { ...object, spec };
}

function counters(status: Json | undefined): JsonObject {
  return {
    currentReplicas: at(status, 'currentReplicas') ?? 0,
    desiredReplicas: at(status, 'desiredReplicas') ?? 0,
  };
}
