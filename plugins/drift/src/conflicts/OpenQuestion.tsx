/** The question that waits about one resource, to be answered in place. */
import { Card, CardBody, CardHeader, Flex, Text } from '@backstage/ui';
import { RiQuestionAnswerLine } from '@remixicon/react';
import { useApi } from '@backstage/core-plugin-api';
import type { ApiActionResult } from '@plumbline/backstage-plugin-drift-common';
import { useCallback } from 'react';
import { driftApiRef } from '../api/driftApi';
import { LoadError, Loading } from '../components/states';
import { Time } from '../components/Time';
import { Sentence } from '../components/Sentence';
import { useLive } from '../live/useLive';
import { Answers } from './Answers';
import styles from './Question.module.css';

export function OpenQuestion(props: {
  conflictId: string;
  onAnswered: (result: ApiActionResult) => void;
}) {
  const { conflictId, onAnswered } = props;
  const api = useApi(driftApiRef);
  const live = useLive(
    useCallback(() => api.getConflict(conflictId), [api, conflictId]),
  );
  if (live.loading) return <Loading what="the open question" lines={2} />;
  if (!live.value) return <LoadError what="The open question" live={live} />;
  const conflict = live.value;
  if (conflict.status !== 'open') return null;
  return (
    <Card role="region" aria-label="A question waits for a person">
      <CardHeader>
        <Flex gap="2" align="start">
          <RiQuestionAnswerLine
            size={20}
            aria-hidden
            style={{ flex: 'none' }}
          />
          <Flex direction="column" gap="1">
            <Text as="h3" weight="bold" className={styles.question}>
              <Sentence>{conflict.question}</Sentence>
            </Text>
            <Text variant="body-small" color="secondary">
              Waits for a person, asked <Time at={conflict.openedAt} />
            </Text>
          </Flex>
        </Flex>
      </CardHeader>
      <CardBody>
        <Flex direction="column" gap="3">
          <Answers conflict={conflict} onAnswered={onAnswered} />
          {conflict.fields.length > 1 && (
            <Text variant="body-small" color="secondary">
              An answer is for all of it. To decide field by field, choose among
              the fields below.
            </Text>
          )}
        </Flex>
      </CardBody>
    </Card>
  );
}
