/** Why an action did not happen; a change in between is told apart from a failure. */
import { Alert } from '@backstage/ui';
import type { ReactNode } from 'react';
import type { ActionState } from '../api/useAction';

export function ActionProblem(props: {
  state: ActionState;
  /** What to do after a change in between. */
  remedy?: ReactNode;
}) {
  const { state } = props;
  if (state.status === 'changed') {
    return (
      <Alert
        role="alert"
        status="warning"
        icon
        title="This changed while you were looking. Nothing was done."
        description={
          <>
            {state.message} {props.remedy}
          </>
        }
      />
    );
  }
  if (state.status === 'failed') {
    return (
      <Alert
        role="alert"
        status="danger"
        icon
        title="That did not work. Nothing was confirmed as done."
        description={state.message}
      />
    );
  }
  return null;
}
