/** A pass that could not read a side ends here. */
import { recordUnreadable } from './failures';
import { result, type Pass, type PassResult } from './steps';

export async function unreadable(
  pass: Pass,
  failure: Parameters<typeof recordUnreadable>[1]['failure'],
  acknowledged = false,
): Promise<PassResult> {
  const { context, lease, before, request } = pass;
  const outcome = recordUnreadable(context, {
    before,
    failure,
    trigger: request.trigger,
    by: request.decision?.by ?? request.by,
  });
  await context.store.finishPass(lease, outcome);
  context.announcer.resourceChanged(before.row, outcome.row);
  return result({
    row: outcome.row,
    unreadable: true,
    applied: acknowledged,
    message: failure.message,
  });
}
