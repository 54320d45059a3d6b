/** Lets a person leave the live values as they are, until either side moves again. */
import {
  Button,
  Dialog,
  DialogBody,
  DialogFooter,
  DialogHeader,
  Flex,
  Text,
  TextAreaField,
} from '@backstage/ui';
import { useApi } from '@backstage/core-plugin-api';
import type {
  ApiActionResult,
  ApiPlan,
  ApiResourceDetail,
} from '@plumbline/backstage-plugin-drift-common';
import { useEffect, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import { ActionProblem } from '../components/ActionProblem';
import { Loading } from '../components/states';
import { countFields } from '../components/values';
import { FieldTable } from './FieldTable';
import { PlanView } from './PlanView';

/** What is decided about, as the person sees it. */
export type Subject = Pick<
  ApiResourceDetail,
  'id' | 'title' | 'seen' | 'changes'
>;

const ACTION_TITLES: Record<ApiPlan['action'], string> = {
  none: 'Nothing is written',
  create: 'It is created',
  update: 'By policy these fields are written all the same',
  delete: 'By policy it is deleted all the same',
  nudge: 'By policy its controller is asked to put it right all the same',
  propose: 'A plan for the other fields waits for a person',
  ask: 'A question about the other fields waits for a person',
  hold: 'Nothing may be written now',
};

export function KeepLiveDialog(props: {
  resource: Subject;
  /** Only these fields; absent: all. */
  paths?: string[];
  isOpen: boolean;
  onClose: () => void;
  onDone: (result: ApiActionResult) => void;
  /** Loads the resource again, after a change in between. */
  onChanged: () => Promise<void>;
}) {
  const { resource, paths, isOpen, onClose, onDone, onChanged } = props;
  const api = useApi(driftApiRef);
  const [note, setNote] = useState('');
  // What the person sees while the dialog is open; live updates must not slip in under the answer.
  const [seen, setSeen] = useState(resource);
  const [plan, setPlan] = useState<ApiPlan>();
  const preview = useAction(() =>
    api.previewReconcile(resource.id, { side: 'live', paths }),
  );
  const keep = useAction(() =>
    api.keepLive(seen.id, {
      seen: seen.seen,
      paths,
      note: note.trim() || undefined,
    }),
  );
  const isChanged = keep.state.status === 'changed';

  // Where all fields are kept there is nothing to foresee.
  const lookAhead = async () => {
    setPlan(undefined);
    if (paths) setPlan(await preview.run());
  };
  useEffect(() => {
    if (!isOpen) return;
    keep.reset();
    setNote('');
    setSeen(resource);
    lookAhead();
    // Only when it opens.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen]);
  useEffect(() => {
    if (!isChanged) return;
    onChanged();
    lookAhead();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isChanged]);
  useEffect(() => {
    if (isChanged) setSeen(resource);
  }, [isChanged, resource]);

  const fields = seen.changes.filter(
    change => !paths || paths.includes(change.path),
  );
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={open => !open && onClose()}
      width="min(52rem, 95vw)"
    >
      <DialogHeader>
        Keep live {paths && `${countFields(paths.length)} of `}
        {seen.title}
      </DialogHeader>
      <DialogBody>
        <Flex direction="column" gap="4">
          <ActionProblem state={keep.state} remedy="Below is how it is now." />
          <Text>
            {paths
              ? 'These live values stay as they are'
              : 'The live values stay as they are and nothing is written'}
            , until either side moves again. The resource stays drifted, marked
            as kept.
          </Text>
          <FieldTable fields={fields} />
          <ActionProblem state={preview.state} />
          {preview.state.status === 'running' && (
            <Loading what="what becomes of the other fields" />
          )}
          {plan && (
            <section aria-label="What becomes of the rest">
              <PlanView plan={plan} title={ACTION_TITLES[plan.action]} />
            </section>
          )}
          <TextAreaField
            label="Note"
            description="Why it stays (optional). It is kept with the decision."
            rows={2}
            value={note}
            onChange={setNote}
            maxLength={2000}
          />
        </Flex>
      </DialogBody>
      <DialogFooter>
        <Button
          variant="primary"
          isPending={keep.state.status === 'running'}
          isDisabled={fields.length === 0}
          onPress={async () => {
            const result = await keep.run();
            if (result) onDone(result);
          }}
        >
          Keep live
        </Button>
        <Button variant="secondary" onPress={onClose}>
          Cancel
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
