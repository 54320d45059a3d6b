/** The page of one resource, for links from elsewhere. */
import { Flex, Link, Text } from '@backstage/ui';
import { RiArrowLeftLine } from '@remixicon/react';
import { useApi } from '@backstage/core-plugin-api';
import { useCallback } from 'react';
import { driftApiRef } from '../api/driftApi';
import { statusOf } from '../api/errors';
import { PageContent } from '../components/PageContent';
import { Empty } from '../components/states';
import { VerdictTag } from '../components/VerdictTag';
import { ResourceDetails } from '../details/ResourceDetails';
import { useLive } from '../live/useLive';
import { useDriftLinks } from '../routes';

export function ResourcePage({ id }: { id: string }) {
  const api = useApi(driftApiRef);
  const links = useDriftLinks();
  const live = useLive(useCallback(() => api.getResource(id), [api, id]));
  const back = links.resources();
  return (
    <PageContent>
      {back && (
        <Link href={back}>
          <RiArrowLeftLine size={14} aria-hidden /> All resources
        </Link>
      )}
      {statusOf(live.error) === 404 ? (
        <Empty title="There is no such resource">
          Nothing is known under this address: it may be gone on both sides, or
          you may not see it.
        </Empty>
      ) : (
        <>
          {live.value && (
            <Flex align="center" gap="3" style={{ flexWrap: 'wrap' }}>
              <Text as="h2" variant="title-small" weight="bold">
                {live.value.title}
              </Text>
              <VerdictTag verdict={live.value.verdict} />
            </Flex>
          )}
          <ResourceDetails live={live} />
        </>
      )}
    </PageContent>
  );
}
