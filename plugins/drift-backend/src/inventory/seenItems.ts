/** What a page of a sweep held, remembered for as long as the page stays as it is: identities, versions and marks, no documents. */
import type {
  LiveObject,
  SweepPage,
} from '@plumbline/backstage-plugin-drift-node';
import type { Identity } from './identities';

export interface SeenItem
  extends Pick<LiveObject, 'key' | 'id' | 'version' | 'locators'> {
  /** Only its marks are left of its locators: enough while a resource is bound to it. */
  marksOnly: boolean;
}

/** The pages of one complete sweep by their digests. */
export type SeenPages = ReadonlyMap<string, SeenItem[]>;

export function rememberedItem({
  key,
  id,
  version,
  locators,
}: LiveObject): SeenItem {
  return { key, id, version, locators, marksOnly: false };
}

/** A resource is bound to the object: what both know is held once, and the other locators are no longer needed. */
export function shareMemory(item: SeenItem, bound: Identity): void {
  item.marksOnly = true;
  // `filter` makes room for more, a slice does not
  item.locators = item.locators.filter(isMark).slice();
  if (bound.liveKey === item.key) item.key = bound.liveKey;
  if (bound.liveId === item.id) item.id = bound.liveId;
  if (bound.liveVersion === item.version) item.version = bound.liveVersion;
}

/** Of an object whose resource is bound to another one since, the page has to say again what it answers to. */
export function allLocators(
  item: SeenItem | LiveObject,
  page: SweepPage,
): readonly string[] {
  if (!('marksOnly' in item && item.marksOnly)) return item.locators;
  const live = page.items.find(({ key }) => key === item.key);
  return live?.locators ?? item.locators;
}

export function isMark(locator: string): boolean {
  return locator.startsWith('mark:');
}
