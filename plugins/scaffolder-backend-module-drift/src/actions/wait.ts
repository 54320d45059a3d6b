/** `drift:resource:wait`: ends when resources are verified to be in sync, or says what keeps them from it. */
import { InputError, NotFoundError, ResponseError } from '@backstage/errors';
import { createTemplateAction } from '@backstage/plugin-scaffolder-node';
import {
  formatResourceRef,
  type ApiResourceDetail,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type { DriftClientFor } from '../client';

/** Time, injected for tests. */
export interface WaitClock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Verdicts that end only when a person does something: no use in waiting for them. */
const NEEDS_A_PERSON = new Set([
  'Conflicted',
  'Contested',
  'NonConvergent',
  'Invalid',
]);

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

/** @public */
export function createDriftResourceWaitAction(options: {
  clientFor: DriftClientFor;
  clock: WaitClock;
}) {
  const { clientFor, clock } = options;
  return createTemplateAction({
    id: 'drift:resource:wait',
    description:
      'Waits until resources are verified to be in sync by fresh reads of both sides, and fails with the reason when a person must decide or the time is over.',
    supportsDryRun: true,
    schema: {
      input: {
        resources: z =>
          z
            .array(
              z.object({
                platform: z.string(),
                kind: z.string(),
                namespace: z.string().optional(),
                name: z.string(),
              }),
            )
            .describe(
              'What to wait for: output "resources" of drift:resource:apply',
            ),
        timeoutSeconds: z =>
          z
            .number()
            .int()
            .min(1)
            .max(3600)
            .optional()
            .describe('How long to wait at most; 300 if left out'),
      },
      output: {
        verdict: z => z.literal('InSync').describe('InSync, for all of them'),
      },
    },
    async handler(ctx) {
      const { resources, timeoutSeconds = 300 } = ctx.input;
      if (!resources.length) {
        throw new InputError(
          'Input "resources" is empty; give the output "resources" of a drift:resource:apply step',
        );
      }
      if (ctx.isDryRun) {
        ctx.logger.info(
          `Dry run: would wait for ${resources
            .map(formatResourceRef)
            .join(', ')}`,
        );
        return;
      }
      const deadline = clock.now() + timeoutSeconds * 1000;
      const waiting = new Map(
        resources.map(ref => [formatResourceRef(ref), ref]),
      );
      const said = new Map<string, string>();
      let pause = FIRST_PAUSE_MS;
      for (;;) {
        ctx.signal?.throwIfAborted();
        const client = await clientFor(await ctx.getInitiatorCredentials());
        for (const [name, ref] of waiting) {
          const sentence = await look(client, ref);
          if (said.get(name) !== sentence.text) {
            said.set(name, sentence.text);
            ctx.logger.info(`${name}: ${sentence.text}`);
          }
          if (sentence.done) waiting.delete(name);
          if (sentence.hopeless) {
            throw new Error(
              `${name} does not come into sync by itself: ${sentence.text}`,
            );
          }
        }
        if (!waiting.size) {
          ctx.output('verdict', 'InSync');
          return;
        }
        const left = deadline - clock.now();
        if (left <= 0) {
          const rest = [...waiting.keys()]
            .map(name => `${name}: ${said.get(name)}`)
            .join('; ');
          throw new Error(
            `Not in sync after ${timeoutSeconds} s, and still looked after by the drift plugin. ${rest}`,
          );
        }
        await clock.sleep(Math.min(pause, left), ctx.signal);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    },
  });
}

interface Sentence {
  text: string;
  done?: boolean;
  hopeless?: boolean;
}

async function look(
  client: Awaited<ReturnType<DriftClientFor>>,
  ref: ResourceRef,
): Promise<Sentence> {
  try {
    const { id } = await client.findResource(ref);
    return describe(await client.checkResource(id));
  } catch (error) {
    const status =
      error instanceof ResponseError ? error.statusCode : undefined;
    if (error instanceof NotFoundError || status === 404) {
      return { text: 'the drift plugin has not seen it yet' };
    }
    // another pass holds it, or a side cannot be read: both pass by themselves
    if (status === 409 || status === 503 || status === 429) {
      return { text: (error as Error).message };
    }
    throw error;
  }
}

function describe(resource: ApiResourceDetail): Sentence {
  const text = `${resource.verdict} (${resource.reason}). ${resource.message} ${resource.next.message}`;
  return {
    text,
    done: resource.verdict === 'InSync' && !resource.stale,
    hopeless: NEEDS_A_PERSON.has(resource.verdict),
  };
}
