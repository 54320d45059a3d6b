/** Shows what a reconcile would write, from fresh reads, and writes it once the person confirms exactly that. */
import {
  Alert,
  Button,
  Dialog,
  DialogBody,
  DialogFooter,
  DialogHeader,
  Flex,
  TextAreaField,
} from '@backstage/ui';
import { useApi } from '@backstage/core-plugin-api';
import type {
  ApiActionResult,
  ApiPlan,
} from '@plumbline/backstage-plugin-drift-common';
import { useEffect, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import { ActionProblem } from '../components/ActionProblem';
import { countFields } from '../components/values';
import { Loading } from '../components/states';
import { PlanView, WRITING } from './PlanView';

const ACTION_TITLES: Record<ApiPlan['action'], string> = {
  none: 'Nothing would be written',
  create: 'It would be created',
  update: 'These fields would be written',
  delete: 'It would be deleted',
  nudge: 'Its own controller would be asked to put it right',
  propose: 'It would wait for a person',
  ask: 'A person has to decide more than a side first',
  hold: 'Nothing may be written now',
};

const CONFIRM_LABELS: Partial<Record<ApiPlan['action'], string>> = {
  create: 'Create it',
  delete: 'Delete it',
  nudge: 'Ask the controller',
};

function isConfirmable(plan: ApiPlan): boolean {
  return (
    WRITING.includes(plan.action) && plan.guards.every(guard => !guard.holds)
  );
}

/** Chosen fields that both sides agree on by now. */
function settledSince(plan: ApiPlan, paths: readonly string[] = []): string[] {
  const differing = new Set([
    ...plan.writes.map(write => write.path),
    ...plan.kept,
  ]);
  return paths.filter(path => !differing.has(path));
}

export function ReconcileDialog(props: {
  resource: { id: string; title: string };
  /** Only these fields; absent: all. */
  paths?: string[];
  /** Why the reader may look but not confirm. */
  whyNot?: string;
  isOpen: boolean;
  onClose: () => void;
  onDone: (result: ApiActionResult) => void;
}) {
  const { resource, paths, whyNot, isOpen, onClose, onDone } = props;
  const api = useApi(driftApiRef);
  const [plan, setPlan] = useState<ApiPlan>();
  const [note, setNote] = useState('');
  const preview = useAction(() =>
    api.previewReconcile(resource.id, { side: 'declared', paths }),
  );
  const reconcile = useAction((seen: ApiPlan['seen']) =>
    api.reconcile(resource.id, { seen, paths, note: note.trim() || undefined }),
  );

  const lookAgain = async () => {
    setPlan(undefined);
    setPlan(await preview.run());
  };
  useEffect(() => {
    if (!isOpen) return;
    reconcile.reset();
    setNote('');
    lookAgain();
    // Only when it opens: a preview reads both platforms.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen]);

  const confirm = async () => {
    if (!plan) return;
    const result = await reconcile.run(plan.seen);
    if (result) onDone(result);
  };
  const isChanged = reconcile.state.status === 'changed';
  useEffect(() => {
    if (isChanged) lookAgain();
    // The plan was made on a state that is gone: show the one that holds now.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isChanged]);

  const settled = plan ? settledSince(plan, paths) : [];
  const mayConfirm =
    plan && isConfirmable(plan) && settled.length === 0 && !whyNot;
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={open => !open && onClose()}
      width="min(52rem, 95vw)"
    >
      <DialogHeader>
        Reconcile {paths && `${countFields(paths.length)} of `}
        {resource.title}
      </DialogHeader>
      <DialogBody>
        <Flex direction="column" gap="4">
          <ActionProblem
            state={reconcile.state}
            remedy="Below is what would be written now."
          />
          <ActionProblem state={preview.state} />
          {preview.state.status === 'running' && (
            <Loading what="a fresh preview of both sides" />
          )}
          {settled.length > 0 && (
            <Alert
              status="warning"
              icon
              title={`No difference any more: ${settled.join(', ')}`}
              description="Close this, and choose again among the fields that still differ."
            />
          )}
          {plan && (
            <PlanView
              plan={plan}
              title={ACTION_TITLES[plan.action]}
              paths={paths}
            />
          )}
          {mayConfirm && (
            <TextAreaField
              label="Note"
              description="Kept with the decision (optional)."
              rows={2}
              value={note}
              onChange={setNote}
              maxLength={2000}
            />
          )}
          {whyNot && <Alert status="info" icon title={whyNot} />}
        </Flex>
      </DialogBody>
      <DialogFooter>
        {mayConfirm && (
          <Button
            variant="primary"
            destructive={plan.action === 'delete'}
            isPending={reconcile.state.status === 'running'}
            onPress={confirm}
          >
            {CONFIRM_LABELS[plan.action] ?? 'Write these fields'}
          </Button>
        )}
        <Button
          variant="secondary"
          isDisabled={preview.state.status === 'running'}
          onPress={() => {
            reconcile.reset();
            lookAgain();
          }}
        >
          Read again
        </Button>
        <Button variant="secondary" onPress={onClose}>
          Close
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
