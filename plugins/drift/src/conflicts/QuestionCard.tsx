/** One item of the queue: the question, the fields with both values, the answers; or what came of it. */
import {
  Badge,
  Card,
  CardBody,
  CardHeader,
  Checkbox,
  Flex,
  Link,
  Text,
} from '@backstage/ui';

import { EntityLink } from '../components/EntityLink';
import type {
  ApiActionResult,
  ApiConflict,
} from '@plumbline/backstage-plugin-drift-common';
import { Time } from '../components/Time';
import { Sentence } from '../components/Sentence';
import { ChosenFields } from '../details/ChosenFields';
import { FieldTable } from '../details/FieldTable';
import { Facts } from '../details/Facts';
import { useDriftLinks } from '../routes';
import { Answers } from './Answers';
import { QUESTION_KINDS } from './questions';
import styles from './Question.module.css';

export function QuestionCard(props: {
  conflict: ApiConflict;
  onAnswered: (result: ApiActionResult) => void;
  /** Loads the question again, after a change in between. */
  reload: () => Promise<void>;
  /** Absent: it cannot be answered together with others. */
  selection?: { isSelected: boolean; onChange: (selected: boolean) => void };
}) {
  const { conflict, onAnswered, selection } = props;
  return (
    <Card role="article" aria-labelledby={`question-${conflict.id}`}>
      <CardHeader>
        <Flex gap="3" align="start">
          {selection && (
            <Checkbox
              aria-label={`Select: ${conflict.title}`}
              isSelected={selection.isSelected}
              onChange={selection.onChange}
            />
          )}
          <Flex direction="column" gap="2">
            <Text
              as="h2"
              variant="body-large"
              weight="bold"
              id={`question-${conflict.id}`}
              className={styles.question}
            >
              <Sentence>{conflict.question}</Sentence>
            </Text>
            <Meta conflict={conflict} />
          </Flex>
        </Flex>
      </CardHeader>
      <CardBody>
        <Flex direction="column" gap="4">
          {conflict.fields.length > 0 && <Fields {...props} />}
          {conflict.status === 'open' ? (
            <Answers conflict={conflict} onAnswered={onAnswered} />
          ) : (
            <Outcome conflict={conflict} />
          )}
        </Flex>
      </CardBody>
    </Card>
  );
}

function Fields(props: {
  conflict: ApiConflict;
  onAnswered: (result: ApiActionResult) => void;
  reload: () => Promise<void>;
}) {
  const { conflict, onAnswered, reload } = props;
  if (conflict.status !== 'open')
    return <FieldTable fields={conflict.fields} />;
  return (
    <ChosenFields
      resource={{
        id: conflict.resourceId,
        title: conflict.title,
        seen: conflict.seen,
        changes: conflict.fields,
      }}
      onChanged={reload}
      onDone={onAnswered}
    />
  );
}

function Meta({ conflict }: { conflict: ApiConflict }) {
  const links = useDriftLinks();
  const href = links.resource(conflict.resourceId);
  return (
    <div className={styles.meta}>
      <Badge size="small">{QUESTION_KINDS[conflict.kindOfQuestion]}</Badge>
      {href ? (
        <Link href={href} variant="body-small">
          {conflict.title}
        </Link>
      ) : (
        <span>{conflict.title}</span>
      )}
      <span>{conflict.platformTitle}</span>
      {conflict.owner && (
        <EntityLink entityRef={conflict.owner} variant="body-small" />
      )}
      <span>
        asked <Time at={conflict.openedAt} />
      </span>
      {(conflict.changedAt || conflict.changedBy) && (
        <span>
          live changed {conflict.changedAt && <Time at={conflict.changedAt} />}
          {conflict.changedBy && ` by ${conflict.changedBy}`}
        </span>
      )}
    </div>
  );
}

function Outcome({ conflict }: { conflict: ApiConflict }) {
  const answer = conflict.answers.find(each => each.choice === conflict.choice);
  return (
    <Facts
      facts={[
        [
          'Answer',
          conflict.status === 'withdrawn'
            ? 'withdrawn: it settled without an answer'
            : answer?.label ?? conflict.choice,
        ],
        ['By', conflict.resolvedBy],
        [
          'When',
          conflict.resolvedAt && <Time key="t" at={conflict.resolvedAt} />,
        ],
        ['Note', conflict.note],
        ['What came of it', conflict.outcome],
      ]}
    />
  );
}
