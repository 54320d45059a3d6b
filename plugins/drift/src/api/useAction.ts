/** One thing that a person asks the backend to do: runs once at a time, and says how it went. */
import { useCallback, useState } from 'react';
import { isChangedMeanwhile, messageOf } from './errors';

export type ActionState =
  | { status: 'idle' }
  | { status: 'running' }
  /** Either side moved while the person was looking (409): nothing was done. */
  | { status: 'changed'; message: string }
  | { status: 'failed'; message: string };

/** `run` resolves to the answer, or to `undefined` when the action failed (`state` then says why). */
export function useAction<A extends unknown[], T>(
  act: (...args: A) => Promise<T>,
): {
  state: ActionState;
  run: (...args: A) => Promise<T | undefined>;
  reset: () => void;
} {
  const [state, setState] = useState<ActionState>({ status: 'idle' });
  const run = async (...args: A) => {
    setState({ status: 'running' });
    try {
      const answer = await act(...args);
      setState({ status: 'idle' });
      return answer;
    } catch (error) {
      setState({
        status: isChangedMeanwhile(error) ? 'changed' : 'failed',
        message: messageOf(error),
      });
      return undefined;
    }
  };
  const reset = useCallback(() => setState({ status: 'idle' }), []);
  return { state, run, reset };
}
