/** What the guards said: each may hold a write. Those that hold come first; many that do not are folded away. */
import {
  Accordion,
  AccordionPanel,
  AccordionTrigger,
  Flex,
  Text,
} from '@backstage/ui';
import { RiCheckLine, RiForbidLine } from '@remixicon/react';
import type { ApiGuardAnswer } from '@plumbline/backstage-plugin-drift-common';
import { Sentence } from '../components/Sentence';

const FEW = 3;

export function Guards(props: { guards: ApiGuardAnswer[] }) {
  const holding = props.guards.filter(guard => guard.holds);
  const passing = props.guards.filter(guard => !guard.holds);
  return (
    <>
      <GuardList guards={holding} label="Guards that hold the write" />
      {passing.length > FEW ? (
        <Accordion>
          <AccordionTrigger title={`${passing.length} guards let it pass`} />
          <AccordionPanel>
            <GuardList guards={passing} label="Guards that let it pass" />
          </AccordionPanel>
        </Accordion>
      ) : (
        <GuardList guards={passing} label="Guards that let it pass" />
      )}
    </>
  );
}

function GuardList(props: { guards: ApiGuardAnswer[]; label: string }) {
  if (props.guards.length === 0) return null;
  return (
    <Flex direction="column" gap="1" role="list" aria-label={props.label}>
      {props.guards.map(({ guard, holds, message }) => (
        <Flex key={guard} gap="2" align="center" role="listitem">
          {holds ? (
            <RiForbidLine size={16} aria-hidden />
          ) : (
            <RiCheckLine size={16} aria-hidden />
          )}
          <Text>
            <strong>{guard}</strong>{' '}
            {holds ? 'holds the write' : 'lets it pass'}:{' '}
            <Sentence>{message}</Sentence>
          </Text>
        </Flex>
      ))}
    </Flex>
  );
}
