/** Confirms one answer to one question, for exactly the state that the person saw. */
import {
  Alert,
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
  ApiConflict,
  ApiSide,
} from '@plumbline/backstage-plugin-drift-common';
import { useEffect, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import { ActionProblem } from '../components/ActionProblem';
import { Sentence } from '../components/Sentence';
import { FieldTable } from '../details/FieldTable';

export function AnswerDialog(props: {
  conflict: ApiConflict;
  /** Absent: closed. */
  choice: ApiSide | undefined;
  onClose: () => void;
  onDone: (result: ApiActionResult) => void;
}) {
  const { conflict, choice, onClose, onDone } = props;
  const api = useApi(driftApiRef);
  const [note, setNote] = useState('');
  const [shown, setShown] = useState(conflict);
  const refresh = useAction(() => api.getConflict(conflict.id));
  const resolve = useAction((side: ApiSide) =>
    api.resolveConflict(shown.id, {
      choice: side,
      seen: shown.seen,
      note: note.trim() || undefined,
    }),
  );
  useEffect(() => {
    if (choice === undefined) return;
    resolve.reset();
    refresh.reset();
    setNote('');
    setShown(conflict);
    // Only when it opens: live updates must not slip in under the answer.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [choice]);

  const isChanged = resolve.state.status === 'changed';
  useEffect(() => {
    if (!isChanged) return;
    refresh.run().then(fresh => fresh && setShown(fresh));
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isChanged]);

  const answer = shown.answers.find(each => each.choice === choice);
  const isOpen = shown.status === 'open';
  return (
    <Dialog
      isOpen={choice !== undefined}
      onOpenChange={open => !open && onClose()}
      width="min(52rem, 95vw)"
    >
      <DialogHeader>{answer?.label ?? 'Answer the question'}</DialogHeader>
      <DialogBody>
        <Flex direction="column" gap="4">
          <ActionProblem
            state={resolve.state}
            remedy={isOpen ? 'Below is how it is now.' : undefined}
          />
          <ActionProblem state={refresh.state} />
          {!isOpen && (
            <Alert
              status="info"
              icon
              title="This question is no longer open."
              description={shown.outcome}
            />
          )}
          <Text as="p">
            <Sentence>{shown.question}</Sentence>
          </Text>
          {answer && (
            <Text as="p">
              <strong>{answer.label}:</strong>{' '}
              <Sentence>{answer.consequence}</Sentence>
            </Text>
          )}
          {shown.fields.length > 0 && <FieldTable fields={shown.fields} />}
          {isOpen && (
            <TextAreaField
              label="Note"
              description="Why you decide so (optional). It is kept with the decision."
              rows={2}
              value={note}
              onChange={setNote}
              maxLength={2000}
            />
          )}
        </Flex>
      </DialogBody>
      <DialogFooter>
        {isOpen && answer && (
          <Button
            variant="primary"
            isPending={
              resolve.state.status === 'running' ||
              refresh.state.status === 'running'
            }
            onPress={async () => {
              const result = await resolve.run(answer.choice);
              if (result) onDone(result);
            }}
          >
            Confirm: {answer.label}
          </Button>
        )}
        <Button variant="secondary" onPress={onClose}>
          Cancel
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
