/** Which kinds a bulk read of a platform covers. */
import type { Platform } from '@plumbline/backstage-plugin-drift-node';

/**
 * The platform's own kinds, in its order, then those of resources that it does not name: a platform may learn of a kind
 * from its declarations only, and another process has listed them.
 *
 * @param refKeys - `resourceKey` of the resources of this platform
 */
export function kindsToSweep(
  platform: Pick<Platform, 'kinds'>,
  refKeys: Iterable<string>,
): string[] {
  const stored = new Set<string>();
  for (const refKey of refKeys) {
    // asked of every resource in every sweep: dearer ways to take the second part add up
    const from = refKey.indexOf('|') + 1;
    stored.add(refKey.slice(from, refKey.indexOf('|', from)));
  }
  return [
    ...new Set([...platform.kinds, ...[...stored].map(decodeURIComponent)]),
  ];
}
