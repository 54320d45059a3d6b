/** What was wrong, since when, why it was decided so, and how it ended; and every decision that was taken. */
import {
  Accordion,
  AccordionPanel,
  AccordionTrigger,
  Button,
  Flex,
  Text,
} from '@backstage/ui';
import { useApi } from '@backstage/core-plugin-api';
import type {
  ApiDecisionRecord,
  ApiEpisode,
} from '@plumbline/backstage-plugin-drift-common';
import { useCallback, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { Empty, LoadError, Loading } from '../components/states';
import { Time } from '../components/Time';
import { VerdictTag } from '../components/VerdictTag';
import { Sentence } from '../components/Sentence';
import { useLive } from '../live/useLive';
import { Facts } from './Facts';
import { FieldTable } from './FieldTable';
import { Guards } from './Guards';

const STEP = 20;

const ENDINGS: Record<NonNullable<ApiEpisode['ending']>, string> = {
  corrected: 'corrected by our write',
  correctedElsewhere: 'put right by somebody else',
  declarationChanged: 'the declaration came to agree',
  keptLive: 'a person kept the live values',
  resourceGone: 'both sides are gone',
};

function More(props: { isMore: boolean; onMore: () => void }) {
  if (!props.isMore) return null;
  return (
    <Button variant="secondary" size="small" onPress={props.onMore}>
      Load more
    </Button>
  );
}

export function Episodes({ resourceId }: { resourceId: string }) {
  const api = useApi(driftApiRef);
  const [limit, setLimit] = useState(STEP);
  const live = useLive(
    useCallback(
      () => api.listEpisodes(resourceId, { limit }),
      [api, resourceId, limit],
    ),
  );
  if (live.loading) return <Loading what="episodes" />;
  if (!live.value) return <LoadError what="The episodes" live={live} />;
  if (live.value.items.length === 0) {
    return (
      <Empty title="No episodes">
        Since we look at this resource, it was never seen to differ.
      </Empty>
    );
  }
  return (
    <Flex direction="column" gap="3">
      <LoadError what="The episodes" live={live} stale />
      {live.value.items.map(episode => (
        <EpisodeItem key={episode.id} episode={episode} />
      ))}
      <More
        isMore={live.value.nextCursor !== undefined}
        onMore={() => setLimit(limit + STEP)}
      />
    </Flex>
  );
}

function EpisodeItem({ episode }: { episode: ApiEpisode }) {
  const count = episode.fields.length;
  return (
    <Accordion defaultExpanded={!episode.endedAt}>
      <AccordionTrigger>
        <Flex gap="2" align="center" style={{ flexWrap: 'wrap' }}>
          <VerdictTag verdict={episode.verdict} />
          <Text>
            <Sentence>{episode.message}</Sentence>
          </Text>
          <Text variant="body-small" color="secondary">
            <Time at={episode.startedAt} />
            {', '}
            {episode.ending ? ENDINGS[episode.ending] : 'still open'}
          </Text>
        </Flex>
      </AccordionTrigger>
      <AccordionPanel>
        <Flex direction="column" gap="3">
          <Facts
            facts={[
              ['Began', <Time key="t" at={episode.startedAt} />],
              [
                'Ended',
                episode.endedAt ? (
                  <Time key="t" at={episode.endedAt} />
                ) : (
                  'still open'
                ),
              ],
              ['How it ended', episode.endMessage],
              ['Decided by', episode.decidedBy],
              ['Why', episode.why],
              ['Live changed by', episode.changedBy],
              [
                'Live changed',
                episode.changedAt && <Time key="t" at={episode.changedAt} />,
              ],
            ]}
          />
          {count > 0 && <FieldTable fields={episode.fields} />}
        </Flex>
      </AccordionPanel>
    </Accordion>
  );
}

export function Decisions({ resourceId }: { resourceId: string }) {
  const api = useApi(driftApiRef);
  const [limit, setLimit] = useState(STEP);
  const live = useLive(
    useCallback(
      () => api.listDecisions(resourceId, { limit }),
      [api, resourceId, limit],
    ),
  );
  if (live.loading) return <Loading what="decisions" />;
  if (!live.value) return <LoadError what="The decisions" live={live} />;
  if (live.value.items.length === 0) {
    return <Empty title="No decisions yet">No pass has run so far.</Empty>;
  }
  return (
    <Flex direction="column" gap="3">
      <LoadError what="The decisions" live={live} stale />
      {live.value.items.map(decision => (
        <DecisionItem key={decision.id} decision={decision} />
      ))}
      <More
        isMore={live.value.nextCursor !== undefined}
        onMore={() => setLimit(limit + STEP)}
      />
    </Flex>
  );
}

function DecisionItem({ decision }: { decision: ApiDecisionRecord }) {
  return (
    <Accordion>
      <AccordionTrigger>
        <Flex gap="2" align="center" style={{ flexWrap: 'wrap' }}>
          <VerdictTag verdict={decision.verdict} />
          <Text>
            <Sentence>{decision.message}</Sentence>
          </Text>
          <Text variant="body-small" color="secondary">
            <Time at={decision.at} />
            {`, ${decision.action}`}
          </Text>
        </Flex>
      </AccordionTrigger>
      <AccordionPanel>
        <Flex direction="column" gap="3">
          <Facts
            facts={[
              ['Trigger', decision.trigger],
              ['Asked by', decision.by],
              ['Rule', decision.rule],
              ['Reason', decision.reason],
              ['Action', decision.action],
              ['Result', decision.result],
              ['Would write', decision.plan?.join(', ')],
              ['Declared version', decision.declaredVersion],
              ['Declared digest', decision.declaredDigest],
              ['Live version', decision.liveVersion],
              ['Live digest', decision.liveDigest],
              ['Engine', decision.engineVersion],
            ]}
          />
          <Guards guards={decision.guards} />
        </Flex>
      </AccordionPanel>
    </Accordion>
  );
}
