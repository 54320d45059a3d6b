/*
 * What the server fills in of an autoscaler's behaviour.
 */
import { FieldSchema, Json, JsonObject } from '../types';

const POLICIES_UP: Json = [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
];
const POLICIES_DOWN: Json = [
  { type: 'Percent', value: 100, periodSeconds: 15 },
];

/** Once anything is said about the behaviour, all of it is filled in, each direction in its own way. */
function scalingRules(
  version: string,
  policies: Json,
  window?: number,
): Partial<FieldSchema> {
  const defaults: JsonObject = { selectPolicy: 'Max', policies };
  if (window !== undefined) {
    defaults.stabilizationWindowSeconds = window;
  }
  return {
    default: defaults,
    properties: {
      policies: {
        type: 'list',
        list: 'atomic',
        items: { ref: `autoscaling.${version}.HPAScalingPolicy` },
        emptyIsAbsent: true,
        default: policies,
      },
      selectPolicy: { type: 'string', default: 'Max' },
      stabilizationWindowSeconds: {
        type: 'integer',
        ...(window === undefined ? {} : { default: window }),
      },
      tolerance: { type: 'quantity' },
    },
  };
}

/** By version, because the definition of a policy has one in its name. */
export const behaviour = (version: string) => ({
  scaleUp: scalingRules(version, POLICIES_UP, 0),
  scaleDown: scalingRules(version, POLICIES_DOWN),
});
