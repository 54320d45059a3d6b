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
  ApiResourceDetail,
} from '@plumbline/backstage-plugin-drift-common';
import { useEffect, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import { ActionProblem } from '../components/ActionProblem';
import { FieldTable } from './FieldTable';

export function KeepLiveDialog(props: {
  resource: ApiResourceDetail;
  isOpen: boolean;
  onClose: () => void;
  onDone: (result: ApiActionResult) => void;
  /** Loads the resource again, after a change in between. */
  onChanged: () => Promise<void>;
}) {
  const { resource, isOpen, onClose, onDone, onChanged } = props;
  const api = useApi(driftApiRef);
  const [note, setNote] = useState('');
  // What the person sees while the dialog is open; live updates must not slip in under the answer.
  const [seen, setSeen] = useState(resource);
  const keep = useAction(() =>
    api.keepLive(seen.id, { seen: seen.seen, note: note.trim() || undefined }),
  );
  const isChanged = keep.state.status === 'changed';

  useEffect(() => {
    if (!isOpen) return;
    keep.reset();
    setNote('');
    setSeen(resource);
    // Only when it opens.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen]);
  useEffect(() => {
    if (isChanged) onChanged();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isChanged]);
  useEffect(() => {
    if (isChanged) setSeen(resource);
  }, [isChanged, resource]);

  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={open => !open && onClose()}
      width="min(52rem, 95vw)"
    >
      <DialogHeader>Keep live {resource.title}</DialogHeader>
      <DialogBody>
        <Flex direction="column" gap="4">
          <ActionProblem state={keep.state} remedy="Below is how it is now." />
          <Text>
            The live values stay as they are and nothing is written, until
            either side moves again. The resource stays drifted, marked as kept.
          </Text>
          <FieldTable fields={seen.changes} />
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
