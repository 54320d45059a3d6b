/** Shows what a reconcile would write, from fresh reads, and writes it once the person confirms exactly that. */
import {
  Accordion,
  AccordionPanel,
  AccordionTrigger,
  Alert,
  Button,
  Cell,
  Dialog,
  DialogBody,
  DialogFooter,
  DialogHeader,
  Flex,
  Table,
  Text,
  TextAreaField,
  type ColumnConfig,
} from '@backstage/ui';
import { useApi } from '@backstage/core-plugin-api';
import type {
  ApiActionResult,
  ApiPlan,
  ApiResourceDetail,
} from '@plumbline/backstage-plugin-drift-common';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import { ActionProblem } from '../components/ActionProblem';
import { Loading } from '../components/states';
import { Path, Value } from '../components/Value';
import { Sentence } from '../components/Sentence';
import { Guards } from './Guards';

const RawDiff = lazy(() => import('./RawDiff'));

type Write = ApiPlan['writes'][number] & { id: string };

const COLUMNS: ColumnConfig<Write>[] = [
  {
    id: 'path',
    label: 'Field',
    isRowHeader: true,
    cell: write => (
      <Cell>
        <Path path={write.path} />
      </Cell>
    ),
  },
  {
    id: 'from',
    label: 'From',
    cell: write => (
      <Cell>
        <Value value={write.from} />
      </Cell>
    ),
  },
  {
    id: 'to',
    label: 'To',
    cell: write => (
      <Cell>
        <Value
          value={write.operation === 'remove' ? undefined : write.to}
          absent="removed"
        />
      </Cell>
    ),
  },
];

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

// The preview already supposes that the person chose the declared side: what still asks or holds cannot be confirmed.
const WRITING: ApiPlan['action'][] = ['create', 'update', 'delete', 'nudge'];

function isConfirmable(plan: ApiPlan): boolean {
  return (
    WRITING.includes(plan.action) && plan.guards.every(guard => !guard.holds)
  );
}

function Plan({ plan }: { plan: ApiPlan }) {
  const writes = useMemo(
    () => plan.writes.map(write => ({ ...write, id: write.path })),
    [plan.writes],
  );
  return (
    <Flex direction="column" gap="3">
      <Text>
        <Sentence>{plan.message}</Sentence>
      </Text>
      <Text as="h3" weight="bold">
        {ACTION_TITLES[plan.action]}
      </Text>
      {writes.length > 0 && (
        <Table
          columnConfig={COLUMNS}
          data={writes}
          pagination={{ type: 'none' }}
        />
      )}
      {plan.kept.length > 0 && (
        <Text color="secondary">
          Stays as it is live: <code>{plan.kept.join(', ')}</code>
        </Text>
      )}
      <Guards guards={plan.guards} />
      {plan.after !== undefined && WRITING.includes(plan.action) && (
        <Accordion>
          <AccordionTrigger title="As YAML" />
          <AccordionPanel>
            <Suspense fallback={<Loading what="the comparison" />}>
              <RawDiff
                left={{ label: 'Live now', state: plan.before }}
                right={{ label: 'After the write', state: plan.after }}
              />
            </Suspense>
          </AccordionPanel>
        </Accordion>
      )}
      {plan.platformDryRun && (
        <Text color="secondary">
          The platform’s own dry run: {plan.platformDryRun}
        </Text>
      )}
    </Flex>
  );
}

export function ReconcileDialog(props: {
  resource: ApiResourceDetail;
  /** Why the reader may look but not confirm. */
  whyNot?: string;
  isOpen: boolean;
  onClose: () => void;
  onDone: (result: ApiActionResult) => void;
}) {
  const { resource, whyNot, isOpen, onClose, onDone } = props;
  const api = useApi(driftApiRef);
  const [plan, setPlan] = useState<ApiPlan>();
  const [note, setNote] = useState('');
  const preview = useAction(() => api.previewReconcile(resource.id));
  const reconcile = useAction((seen: ApiPlan['seen']) =>
    api.reconcile(resource.id, { seen, note: note.trim() || undefined }),
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

  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={open => !open && onClose()}
      width="min(52rem, 95vw)"
    >
      <DialogHeader>Reconcile {resource.title}</DialogHeader>
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
          {plan && <Plan plan={plan} />}
          {plan && isConfirmable(plan) && !whyNot && (
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
        {plan && isConfirmable(plan) && !whyNot && (
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
