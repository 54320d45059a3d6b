/** What a person may do about one resource; an action that is not possible says why. */
import { Button, Flex } from '@backstage/ui';
import { RiRefreshLine } from '@remixicon/react';
import { useApi } from '@backstage/core-plugin-api';
import type { ApiResourceDetail } from '@plumbline/backstage-plugin-drift-common';
import { useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import {
  useMayCheck,
  useMayReconcile,
  useMayResolve,
  useMaySetPolicy,
} from '../api/useMay';
import { ActionProblem } from '../components/ActionProblem';
import { KeepLiveDialog } from './KeepLiveDialog';
import { PauseDialog } from './PauseDialog';
import { ReconcileDialog } from './ReconcileDialog';
import styles from './ResourceDetails.module.css';

export function Actions(props: {
  resource: ApiResourceDetail;
  reload: () => Promise<void>;
  onResource: (resource: ApiResourceDetail) => void;
  /** One sentence about what came of an action. */
  onMessage: (message: string) => void;
}) {
  const { resource, reload, onResource, onMessage } = props;
  const api = useApi(driftApiRef);
  const [open, setOpen] = useState<'reconcile' | 'keep' | 'pause'>();
  const mayReconcile = useMayReconcile(resource.id);
  const mayResolve = useMayResolve(resource.id);
  const mayCheck = useMayCheck(resource.id);
  const maySetPolicy = useMaySetPolicy();
  const check = useAction(() => api.checkResource(resource.id));
  const close = () => setOpen(undefined);

  const isDrifted = resource.changes.some(change => !change.kept);
  const canKeep = isDrifted && resource.verdict !== 'Missing';
  // A preview supposes a reconcile and writes nothing: it is there also where a reconcile is not.
  const neverWrites =
    resource.policy.mode === 'observe' || resource.policy.paused !== undefined;
  const whyNot = new Set(
    [
      mayReconcile.whyNot,
      resource.policy.mode === 'observe'
        ? 'The mode is observe: nothing is written here, a preview is possible.'
        : undefined,
      resource.policy.paused
        ? 'It is paused: nothing is written, a preview is possible.'
        : undefined,
      canKeep ? mayResolve.whyNot : undefined,
      resource.policy.paused ? undefined : maySetPolicy.whyNot,
      mayCheck.whyNot,
    ].filter(reason => reason !== undefined),
  );

  return (
    <Flex direction="column" gap="2">
      <Flex gap="2" style={{ flexWrap: 'wrap' }}>
        {resource.verdict !== 'InSync' && (
          <Button
            variant={neverWrites ? 'secondary' : 'primary'}
            isDisabled={!mayCheck.allowed}
            onPress={() => setOpen('reconcile')}
          >
            {mayReconcile.whyNot || neverWrites
              ? 'Preview'
              : 'Preview and reconcile'}
          </Button>
        )}
        {canKeep && (
          <Button
            variant="secondary"
            isDisabled={!mayResolve.allowed}
            onPress={() => setOpen('keep')}
          >
            Keep live…
          </Button>
        )}
        {!resource.policy.paused && (
          <Button
            variant="secondary"
            isDisabled={!maySetPolicy.allowed}
            onPress={() => setOpen('pause')}
          >
            Pause…
          </Button>
        )}
        <Button
          variant="tertiary"
          iconStart={<RiRefreshLine />}
          isDisabled={!mayCheck.allowed}
          isPending={check.state.status === 'running'}
          onPress={async () => {
            const fresh = await check.run();
            if (!fresh) return;
            onResource(fresh);
            onMessage('Checked: both sides were read freshly.');
          }}
        >
          Check now
        </Button>
      </Flex>
      {whyNot.size > 0 && (
        <ul className={styles.whyNot} aria-label="What you may not do here">
          {[...whyNot].map(reason => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      <ActionProblem state={check.state} />
      <ReconcileDialog
        resource={resource}
        whyNot={mayReconcile.whyNot}
        isOpen={open === 'reconcile'}
        onClose={close}
        onDone={result => {
          close();
          onResource(result.resource);
          onMessage(result.message);
        }}
      />
      <KeepLiveDialog
        resource={resource}
        isOpen={open === 'keep'}
        onClose={close}
        onChanged={reload}
        onDone={result => {
          close();
          onResource(result.resource);
          onMessage(result.message);
        }}
      />
      <PauseDialog
        resource={resource}
        isOpen={open === 'pause'}
        onClose={close}
        onDone={() => {
          close();
          onMessage('Paused.');
          reload();
        }}
      />
    </Flex>
  );
}
