/* What the drift backend would hand over, for tests: an open gate and a clock that is set by hand. */
import type {
  CustomResourceMapper,
  DriftContext,
  RequestGate,
} from '@plumbline/backstage-plugin-drift-node';

export const openGate: RequestGate = {
  run: (_options, request) => request(),
  observe: () => {},
};

export function testContext(
  mappers: CustomResourceMapper[] = [],
): DriftContext & { advance(milliseconds: number): void } {
  let now = Date.parse('2026-12-01T00:00:00Z');
  return {
    gate: () => openGate,
    customResourceMappers: () => mappers,
    keyFor: purpose => `key for ${purpose}`,
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}
