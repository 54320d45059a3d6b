/** By which mark a live object is known as ours. */
import type { ResourceRow } from '../store/rows';
import type { Observation } from './observe';

/**
 * The mark by which the live object is known as ours. A declaration that was deleted and made again has another one; until the
 * live object bears that, it is known by the one that it bears.
 */
export function markOf(
  before: Pick<ResourceRow, 'mark'>,
  { declared, live }: Pick<Observation, 'declared' | 'live'>,
): ResourceRow['mark'] {
  if (!declared) return before.mark;
  const bears = (mark: ResourceRow['mark']) =>
    mark !== undefined &&
    live?.marks.some(
      other => other.key === mark.key && other.value === mark.value,
    );
  return bears(before.mark) && !bears(declared.mark)
    ? before.mark
    : declared.mark;
}
