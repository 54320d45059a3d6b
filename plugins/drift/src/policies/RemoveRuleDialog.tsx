/** Asks before a rule of the portal is removed. */
import {
  Button,
  Dialog,
  DialogBody,
  DialogFooter,
  DialogHeader,
  Flex,
  Text,
} from '@backstage/ui';
import { useApi } from '@backstage/core-plugin-api';
import type { ApiPolicyRule } from '@plumbline/backstage-plugin-drift-common';
import { useEffect } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import { ActionProblem } from '../components/ActionProblem';
import { describeScope } from '../components/policyText';

export function RemoveRuleDialog(props: {
  /** Absent: closed. */
  rule: ApiPolicyRule | undefined;
  onClose: () => void;
  onDone: (rule: ApiPolicyRule) => void;
}) {
  const { rule, onClose, onDone } = props;
  const api = useApi(driftApiRef);
  const remove = useAction(async (id: string) => {
    await api.removePolicy(id);
    return true;
  });
  const { reset } = remove;
  useEffect(() => reset(), [rule, reset]);
  return (
    <Dialog
      isOpen={rule !== undefined}
      onOpenChange={open => !open && onClose()}
      width="min(32rem, 95vw)"
    >
      <DialogHeader>
        {rule?.settings.paused ? 'End the pause' : 'Remove the rule'}
      </DialogHeader>
      <DialogBody>
        <Flex direction="column" gap="3">
          <ActionProblem state={remove.state} />
          <Text as="p">
            For {rule && describeScope(rule.scope)} the next broader rule holds
            again, from the next write on.
          </Text>
        </Flex>
      </DialogBody>
      <DialogFooter>
        <Button
          variant="primary"
          destructive
          isPending={remove.state.status === 'running'}
          onPress={async () => {
            if (rule && (await remove.run(rule.id))) onDone(rule);
          }}
        >
          {rule?.settings.paused ? 'End the pause' : 'Remove'}
        </Button>
        <Button variant="secondary" onPress={onClose}>
          Cancel
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
