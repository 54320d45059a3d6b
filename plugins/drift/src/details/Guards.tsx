/** What the guards said: each may hold a write. */
import { Flex, Text } from '@backstage/ui';
import { RiCheckLine, RiForbidLine } from '@remixicon/react';
import type { ApiGuardAnswer } from '@plumbline/backstage-plugin-drift-common';
import { Sentence } from '../components/Sentence';

export function Guards(props: { guards: ApiGuardAnswer[] }) {
  if (props.guards.length === 0) return null;
  return (
    <Flex direction="column" gap="1" role="list" aria-label="Guards">
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
