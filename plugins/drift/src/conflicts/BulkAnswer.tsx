/** The same answer for many first-sight questions; each is checked and applied on its own. */
import {
  Button,
  Dialog,
  DialogBody,
  DialogFooter,
  DialogHeader,
  Flex,
  Text,
  TextAreaField,
} from '@backstage/ui';
import { RiCheckLine, RiCloseCircleLine } from '@remixicon/react';
import { useApi } from '@backstage/core-plugin-api';
import type {
  ApiConflict,
  ApiSide,
} from '@plumbline/backstage-plugin-drift-common';
import { useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import { ActionProblem } from '../components/ActionProblem';
import { Sentence } from '../components/Sentence';
import styles from './Question.module.css';

const CHOICES: Record<ApiSide, { label: string; consequence: string }> = {
  declared: {
    label: 'The declared side stands',
    consequence:
      'What is declared is written to the platforms, as each policy allows.',
  },
  live: {
    label: 'The live side stands',
    consequence:
      'Nothing is written; each stays as it is live until either side moves again.',
  },
};

type Results = { id: string; applied: boolean; message: string }[];

/** A bar above the queue while something is selected. */
export function BulkBar(props: {
  selected: ApiConflict[];
  /** How many can be selected on this page. */
  outOf: number;
  onSelectAll: () => void;
  onClear: () => void;
  onDone: () => void;
}) {
  const { selected } = props;
  const [choice, setChoice] = useState<ApiSide>();
  return (
    <div className={styles.bulk} role="toolbar" aria-label="Answer in bulk">
      <Flex align="center" gap="2" style={{ flexWrap: 'wrap' }}>
        <Text weight="bold" aria-live="polite">
          {selected.length} of {props.outOf} first-sight questions selected
        </Text>
        {(['declared', 'live'] as const).map(side => (
          <Button
            key={side}
            size="small"
            variant="secondary"
            isDisabled={selected.length === 0}
            onPress={() => setChoice(side)}
          >
            {CHOICES[side].label}…
          </Button>
        ))}
        <Button size="small" variant="tertiary" onPress={props.onSelectAll}>
          Select all {props.outOf}
        </Button>
        <Button
          size="small"
          variant="tertiary"
          isDisabled={selected.length === 0}
          onPress={props.onClear}
        >
          Clear
        </Button>
      </Flex>
      {choice && (
        <BulkDialog
          choice={choice}
          conflicts={selected}
          onClose={isDone => {
            setChoice(undefined);
            if (isDone) props.onDone();
          }}
        />
      )}
    </div>
  );
}

function BulkDialog(props: {
  choice: ApiSide;
  conflicts: ApiConflict[];
  onClose: (isDone: boolean) => void;
}) {
  const { choice, onClose } = props;
  const api = useApi(driftApiRef);
  const [note, setNote] = useState('');
  const [results, setResults] = useState<Results>();
  // What the person saw when the dialog opened is what is answered.
  const [conflicts] = useState(props.conflicts);
  const resolve = useAction(() =>
    api.resolveConflicts({
      choice,
      conflicts: conflicts.map(({ id, seen }) => ({ id, seen })),
      note: note.trim() || undefined,
    }),
  );
  return (
    <Dialog
      isOpen
      onOpenChange={open => !open && onClose(results !== undefined)}
      width="min(44rem, 95vw)"
    >
      <DialogHeader>
        {CHOICES[choice].label}, for {conflicts.length} resources
      </DialogHeader>
      <DialogBody>
        <Flex direction="column" gap="4">
          <ActionProblem state={resolve.state} />
          {results ? (
            <ResultList results={results} conflicts={conflicts} />
          ) : (
            <>
              <Text as="p">{CHOICES[choice].consequence}</Text>
              <ul className={styles.results} aria-label="Resources">
                {conflicts.map(conflict => (
                  <li key={conflict.id}>
                    <Text>
                      {conflict.title} on {conflict.platformTitle}
                    </Text>
                  </li>
                ))}
              </ul>
              <TextAreaField
                label="Note"
                description="Why you decide so (optional)."
                rows={2}
                value={note}
                onChange={setNote}
                maxLength={2000}
              />
            </>
          )}
        </Flex>
      </DialogBody>
      <DialogFooter>
        {!results && (
          <Button
            variant="primary"
            isPending={resolve.state.status === 'running'}
            onPress={async () => {
              const answer = await resolve.run();
              if (answer) setResults(answer.results);
            }}
          >
            Confirm for {conflicts.length}
          </Button>
        )}
        <Button
          variant="secondary"
          onPress={() => onClose(results !== undefined)}
        >
          {results ? 'Close' : 'Cancel'}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

function ResultList(props: { results: Results; conflicts: ApiConflict[] }) {
  const titles = new Map(props.conflicts.map(({ id, title }) => [id, title]));
  const applied = props.results.filter(result => result.applied).length;
  return (
    <>
      <Text as="p" role="status">
        {applied} of {props.results.length} applied.
      </Text>
      <ul className={styles.results} aria-label="Results">
        {props.results.map(result => (
          <li key={result.id}>
            {result.applied ? (
              <RiCheckLine aria-hidden />
            ) : (
              <RiCloseCircleLine aria-hidden />
            )}
            <Text>
              <strong>{titles.get(result.id) ?? result.id}</strong>
              {result.applied ? ' applied: ' : ' not applied: '}
              <Sentence>{result.message}</Sentence>
            </Text>
          </li>
        ))}
      </ul>
    </>
  );
}
