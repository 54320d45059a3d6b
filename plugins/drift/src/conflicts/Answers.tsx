/** The answers to a question side by side, each with its consequence, and what happens if nobody decides. */
import { Button, Flex, Text } from '@backstage/ui';
import { RiHourglassLine } from '@remixicon/react';
import type {
  ApiActionResult,
  ApiConflict,
  ApiSide,
} from '@plumbline/backstage-plugin-drift-common';
import { useState } from 'react';
import { useMayResolve } from '../api/useMay';
import { Sentence } from '../components/Sentence';
import { AnswerDialog } from './AnswerDialog';
import styles from './Question.module.css';

export function Answers(props: {
  conflict: ApiConflict;
  onAnswered: (result: ApiActionResult) => void;
}) {
  const { conflict, onAnswered } = props;
  const [choice, setChoice] = useState<ApiSide>();
  const may = useMayResolve(conflict.resourceId);
  return (
    <Flex direction="column" gap="3">
      <div className={styles.answers} role="group" aria-label="Answers">
        {conflict.answers.map(answer => (
          <div key={answer.choice} className={styles.answer}>
            <Flex direction="column" gap="1">
              <Text weight="bold">{answer.label}</Text>
              <Text color="secondary">
                <Sentence>{answer.consequence}</Sentence>
              </Text>
            </Flex>
            <Button
              variant="secondary"
              isDisabled={!may.allowed}
              aria-label={`Choose: ${answer.label}`}
              onPress={() => setChoice(answer.choice)}
            >
              Choose…
            </Button>
          </div>
        ))}
      </div>
      <Text as="p" variant="body-small" className={styles.otherwise}>
        <RiHourglassLine size={14} aria-hidden /> If nobody decides:{' '}
        <Sentence>{conflict.ifNobodyDecides}</Sentence>
      </Text>
      {may.whyNot && <Text color="secondary">{may.whyNot}</Text>}
      <AnswerDialog
        conflict={conflict}
        choice={choice}
        onClose={() => setChoice(undefined)}
        onDone={result => {
          setChoice(undefined);
          onAnswered(result);
        }}
      />
    </Flex>
  );
}
