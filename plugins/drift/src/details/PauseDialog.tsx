/** Pauses one resource: a policy rule for exactly its scope, with a reason and an end. */
import {
  Button,
  Dialog,
  DialogBody,
  DialogFooter,
  DialogHeader,
  Flex,
  Select,
  Text,
  TextField,
} from '@backstage/ui';
import { useApi } from '@backstage/core-plugin-api';
import type { ApiResourceDetail } from '@plumbline/backstage-plugin-drift-common';
import { DateTime } from 'luxon';
import { useEffect, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import { ActionProblem } from '../components/ActionProblem';
import { DURATIONS, endOf, type DurationId } from '../policies/duration';

export function PauseDialog(props: {
  resource: ApiResourceDetail;
  isOpen: boolean;
  onClose: () => void;
  onDone: () => void;
}) {
  const { resource, isOpen, onClose, onDone } = props;
  const api = useApi(driftApiRef);
  const [reason, setReason] = useState('');
  const [duration, setDuration] = useState<DurationId>('hour');
  const pause = useAction(() =>
    api.setPolicy({
      scope: resource.ref,
      settings: { paused: true },
      reason: reason.trim(),
      until: endOf(duration, DateTime.now()),
    }),
  );
  useEffect(() => {
    if (!isOpen) return;
    pause.reset();
    setReason('');
    setDuration('hour');
    // Only when it opens.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen]);

  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={open => !open && onClose()}
      width="min(34rem, 95vw)"
    >
      <DialogHeader>Pause {resource.title}</DialogHeader>
      <DialogBody>
        <Flex direction="column" gap="4">
          <ActionProblem state={pause.state} />
          <Text>
            While it is paused it is still looked at and shown, and nothing is
            written to it.
          </Text>
          <TextField
            label="Reason"
            isRequired
            value={reason}
            onChange={setReason}
            maxLength={2000}
          />
          <Select
            label="How long"
            options={DURATIONS.map(({ id, label }) => ({ id, label }))}
            value={duration}
            onChange={key => setDuration(key as DurationId)}
          />
        </Flex>
      </DialogBody>
      <DialogFooter>
        <Button
          variant="primary"
          isDisabled={reason.trim() === ''}
          isPending={pause.state.status === 'running'}
          onPress={async () => {
            if (await pause.run()) onDone();
          }}
        >
          Pause
        </Button>
        <Button variant="secondary" onPress={onClose}>
          Cancel
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
