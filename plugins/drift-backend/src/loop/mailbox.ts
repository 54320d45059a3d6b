/** Work that callbacks ask for, done in order and never left floating. */
import type { PassContext } from '../pass/context';
import { asError } from './workers';

/** What callbacks ask for is done one after the other, and nothing of it is lost sight of. */
export class Mailbox {
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly context: Pick<PassContext, 'logger'>) {}

  put(task: () => Promise<void>): void {
    this.last = this.last.then(task).catch(error => {
      // the next sweep sees it too
      this.context.logger.warn(
        'A change that a watch told could not be followed up',
        asError(error),
      );
    });
  }

  async empty(): Promise<void> {
    await this.last;
  }
}
