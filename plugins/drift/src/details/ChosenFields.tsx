/** Fields of one resource, of which a person may choose some and decide about these alone. */
import { Button, Flex, Text } from '@backstage/ui';
import type { ApiActionResult } from '@plumbline/backstage-plugin-drift-common';
import { useMemo, useState } from 'react';
import { useMayCheck, useMayReconcile, useMayResolve } from '../api/useMay';
import { countFields } from '../components/values';
import { FieldTable } from './FieldTable';
import { KeepLiveDialog, type Subject } from './KeepLiveDialog';
import { ReconcileDialog } from './ReconcileDialog';
import styles from './FieldTable.module.css';

const NONE: ReadonlySet<string> = new Set();

export function ChosenFields(props: {
  resource: Subject;
  /** Nothing is ever written here: a preview is possible. */
  neverWrites?: boolean;
  /** Loads the resource again, after a change in between. */
  onChanged: () => Promise<void>;
  onDone: (result: ApiActionResult) => void;
}) {
  const { resource, neverWrites, onChanged, onDone } = props;
  const fields = resource.changes;
  const [selected, setSelected] = useState(NONE);
  const [open, setOpen] = useState<'reconcile' | 'keep'>();
  // As they were when the dialog opened; absent: all.
  const [paths, setPaths] = useState<string[]>();
  const mayCheck = useMayCheck(resource.id);
  const mayReconcile = useMayReconcile(resource.id);
  const mayResolve = useMayResolve(resource.id);

  const chosen = fields
    .map(field => field.path)
    .filter(path => selected.has(path));
  const selection = useMemo(
    () => ({ selected, onChange: setSelected }),
    [selected],
  );
  // A single field is what the actions on the whole resource are about already.
  if (fields.length < 2) return <FieldTable fields={fields} />;

  const begin = (dialog: 'reconcile' | 'keep') => {
    setPaths(chosen.length < fields.length ? chosen : undefined);
    setOpen(dialog);
  };
  const done = (result: ApiActionResult) => {
    setOpen(undefined);
    setSelected(NONE);
    onDone(result);
  };
  return (
    <Flex direction="column" gap="2">
      <div className={styles.bar} role="group" aria-label="Chosen fields">
        <Text role="status" className={styles.count}>
          {chosen.length === 0
            ? 'Choose fields to decide about these alone.'
            : `${chosen.length} of ${countFields(fields.length)} chosen`}
        </Text>
        <Button
          size="small"
          variant="secondary"
          isDisabled={chosen.length === 0 || !mayCheck.allowed}
          onPress={() => begin('reconcile')}
        >
          {mayReconcile.whyNot || neverWrites
            ? 'Preview only these'
            : 'Preview and reconcile only these'}
        </Button>
        <Button
          size="small"
          variant="secondary"
          isDisabled={chosen.length === 0 || !mayResolve.allowed}
          onPress={() => begin('keep')}
        >
          Keep only these live…
        </Button>
        {chosen.length > 0 && (
          <Button
            size="small"
            variant="tertiary"
            onPress={() => setSelected(NONE)}
          >
            Choose none
          </Button>
        )}
      </div>
      <FieldTable fields={fields} selection={selection} />
      <ReconcileDialog
        resource={resource}
        paths={paths}
        whyNot={mayReconcile.whyNot}
        isOpen={open === 'reconcile'}
        onClose={() => setOpen(undefined)}
        onDone={done}
      />
      <KeepLiveDialog
        resource={resource}
        paths={paths}
        isOpen={open === 'keep'}
        onClose={() => setOpen(undefined)}
        onChanged={onChanged}
        onDone={done}
      />
    </Flex>
  );
}
