/** The overview card of an entity: counts by verdict, the worst resources, and the way to the tab. */
import {
  Card,
  CardBody,
  CardFooter,
  CardHeader,
  Flex,
  Link,
  Text,
} from '@backstage/ui';
import { stringifyEntityRef } from '@backstage/catalog-model';
import { useApi, useRouteRef } from '@backstage/core-plugin-api';
import {
  entityRouteParams,
  entityRouteRef,
  useEntity,
} from '@backstage/plugin-catalog-react';
import { useCallback } from 'react';
import { driftApiRef } from '../api/driftApi';
import { LoadError, Loading } from '../components/states';
import { Time } from '../components/Time';
import { VerdictCounts, VerdictTag } from '../components/VerdictTag';
import { needsAttention } from '../components/verdicts';
import { Sentence } from '../components/Sentence';
import { useLive } from '../live/useLive';
import { LINK_ANNOTATION } from './availability';
import { Unavailable } from './Unavailable';
import styles from './Strip.module.css';

const WORST = 3;

/** Needs an entity around it (`useEntity`). */
export function EntityDriftCard() {
  const { entity } = useEntity();
  const entityRef = stringifyEntityRef(entity);
  const api = useApi(driftApiRef);
  const tab = `${useRouteRef(entityRouteRef)(entityRouteParams(entity))}/drift`;
  const live = useLive(
    useCallback(async () => {
      const [summary, page] = await Promise.all([
        api.getSummary({ entity: entityRef }),
        api.listResources({ entity: entityRef, limit: WORST }),
      ]);
      return { summary, worst: page.items };
    }, [api, entityRef]),
  );
  return (
    <Card>
      <CardHeader>
        <Text as="h2" variant="title-x-small" weight="bold">
          Drift
        </Text>
      </CardHeader>
      <CardBody>
        <Flex direction="column" gap="3">
          {live.loading && <Loading what="drift" lines={3} />}
          <LoadError
            what="Drift"
            live={live}
            stale={live.value !== undefined}
          />
          {live.value && <Content {...live.value} tab={tab} />}
        </Flex>
      </CardBody>
      {live.value && (
        <CardFooter>
          <Link href={tab} weight="bold">
            {live.value.summary.total > 0
              ? `All ${live.value.summary.total} resources`
              : 'How to link resources'}
          </Link>
        </CardFooter>
      )}
    </Card>
  );
}

function Content(props: {
  summary: Awaited<ReturnType<typeof driftApiRef.T.getSummary>>;
  worst: Awaited<ReturnType<typeof driftApiRef.T.listResources>>['items'];
  tab: string;
}) {
  const { summary, worst, tab } = props;
  const cannotSay = (summary.unavailable ?? []).length > 0;
  return (
    <>
      <Unavailable unavailable={summary.unavailable} />
      {summary.total === 0 && !cannotSay && (
        <Text color="secondary">
          No resource belongs to this entity. They are linked by{' '}
          <code>{LINK_ANNOTATION}</code>.
        </Text>
      )}
      {summary.total === 0 && cannotSay && (
        <Text color="secondary">
          Not known whether anything belongs to this entity.
        </Text>
      )}
      {summary.total > 0 && (
        <>
          <div className={styles.verdicts}>
            <VerdictCounts byVerdict={summary.byVerdict} />
          </div>
          {worst
            .filter(item => needsAttention(item.verdict))
            .map(item => (
              <Flex key={item.id} direction="column" gap="1">
                <Flex align="center" gap="2" style={{ flexWrap: 'wrap' }}>
                  <VerdictTag verdict={item.verdict} />
                  <Link
                    href={`${tab}?resource=${encodeURIComponent(item.id)}`}
                    weight="bold"
                  >
                    {item.title}
                  </Link>
                  <Text variant="body-small" color="secondary">
                    for <Time at={item.since} format="age" />
                  </Text>
                </Flex>
                <Text variant="body-small" color="secondary">
                  <Sentence>{item.message}</Sentence>
                </Text>
              </Flex>
            ))}
          <Text variant="body-small" color="secondary">
            {summary.verifiedAt ? (
              <>
                Oldest verification <Time at={summary.verifiedAt} />
              </>
            ) : (
              'Not everything was verified yet'
            )}
            {summary.openConflicts > 0 &&
              `; ${summary.openConflicts} ${
                summary.openConflicts === 1
                  ? 'question waits'
                  : 'questions wait'
              } for a person`}
            .
          </Text>
        </>
      )}
    </>
  );
}
