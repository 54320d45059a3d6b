/** One line that says whether an entity is right: counts by verdict, verified how long ago, *Check now*. */
import { Button, Text } from '@backstage/ui';
import { RiRefreshLine } from '@remixicon/react';
import { useApi } from '@backstage/core-plugin-api';
import type { ApiSummary } from '@plumbline/backstage-plugin-drift-common';
import type { Verdict } from '@plumbline/drift-engine';
import { useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import { ActionProblem } from '../components/ActionProblem';
import { Time } from '../components/Time';
import { VerdictLegend } from '../components/VerdictLegend';
import { VerdictFilter } from '../components/VerdictTag';
import styles from './Strip.module.css';

export function Strip(props: {
  entityRef: string;
  summary: ApiSummary;
  verdict: Verdict | undefined;
  onVerdict: (verdict: Verdict | undefined) => void;
  onChecked: () => void;
}) {
  const { entityRef, summary } = props;
  const api = useApi(driftApiRef);
  const [due, setDue] = useState<number>();
  const check = useAction(() => api.checkMany({ entity: entityRef }));
  return (
    <>
      <div className={styles.strip}>
        <div
          className={styles.verdicts}
          role="group"
          aria-label="Resources by verdict"
        >
          <VerdictFilter
            byVerdict={summary.byVerdict}
            selected={props.verdict}
            onSelect={props.onVerdict}
          />
          <VerdictLegend />
        </div>
        <Text color="secondary">
          {summary.verifiedAt ? (
            <>
              verified <Time at={summary.verifiedAt} />
            </>
          ) : (
            'not everything was verified yet'
          )}
        </Text>
        <Text variant="body-small" color="secondary" role="status">
          {due !== undefined && `${due} due now`}
        </Text>
        <Button
          variant="secondary"
          iconStart={<RiRefreshLine />}
          isPending={check.state.status === 'running'}
          onPress={async () => {
            const answer = await check.run();
            if (!answer) return;
            setDue(answer.due);
            props.onChecked();
          }}
        >
          Check now
        </Button>
      </div>
      <ActionProblem state={check.state} />
    </>
  );
}
