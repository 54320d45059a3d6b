/** The padding and the spacing of every page of ours. */
import { Container, Flex } from '@backstage/ui';
import type { ReactNode } from 'react';

export function PageContent(props: { children: ReactNode }) {
  return (
    <Container>
      <Flex direction="column" gap="4" py="4">
        {props.children}
      </Flex>
    </Container>
  );
}
