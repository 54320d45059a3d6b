/** Traces: one span around each pass and each read in bulk, where a tracing service is there. */
import type {
  TracingService,
  TracingServiceAttributes,
} from '@backstage/backend-plugin-api/alpha';

/** Sets what is only known at the end. */
export type Annotate = (attributes: TracingServiceAttributes) => void;

export type Tracing = Pick<TracingService, 'startActiveSpan'>;

export async function traced<T>(
  tracing: Tracing | undefined,
  name: string,
  attributes: TracingServiceAttributes,
  run: (annotate: Annotate) => Promise<T>,
): Promise<T> {
  if (!tracing) return run(() => {});
  return tracing.startActiveSpan(name, { attributes }, span =>
    run(more => {
      for (const [key, value] of Object.entries(more)) {
        if (value !== undefined) span.setAttribute(key, value);
      }
    }),
  );
}
