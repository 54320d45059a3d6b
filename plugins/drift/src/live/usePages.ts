/** Keyset paging for BUI's table: remembers the cursors of the pages before, and keeps the page shown live. */
import { useCallback, useState } from 'react';
import type { TableProps } from '@backstage/ui';
import { useLive, type Live } from './useLive';

interface PageOf<T> {
  items: T[];
  total?: number;
  nextCursor?: string;
}

/** What a page needs to show a paged list. */
export interface Pages<T> {
  live: Live<PageOf<T>>;
  pagination: TableProps<{ id: string }>['pagination'];
}

/**
 * @param load - must be stable; a new one (another filter) starts at the first page
 */
export function usePages<T>(
  load: (page: { limit: number; cursor?: string }) => Promise<PageOf<T>>,
  options: { pageSize?: number; pageSizes?: number[]; noun?: string } = {},
): Pages<T> {
  const { pageSizes = [10, 25, 100], noun = 'resources' } = options;
  const [pageSize, setPageSize] = useState(options.pageSize ?? pageSizes[0]);
  const [position, setPosition] = useState<{
    load: typeof load;
    cursors: string[];
  }>({ load, cursors: [] });
  const cursors = position.load === load ? position.cursors : [];
  const cursor = cursors.at(-1);

  const live = useLive(
    useCallback(
      () => load({ limit: pageSize, cursor }),
      [load, pageSize, cursor],
    ),
  );
  const nextCursor = live.value?.nextCursor;
  const offset = cursors.length * pageSize;

  return {
    live,
    pagination: {
      type: 'page',
      pageSize,
      pageSizeOptions: pageSizes.map(size => ({
        value: size,
        label: `${size} a page`,
      })),
      offset,
      totalCount: live.value?.total,
      hasNextPage: nextCursor !== undefined,
      hasPreviousPage: cursors.length > 0,
      onNextPage: () =>
        nextCursor && setPosition({ load, cursors: [...cursors, nextCursor] }),
      onPreviousPage: () =>
        setPosition({ load, cursors: cursors.slice(0, -1) }),
      onPageSizeChange: size => {
        setPageSize(size);
        setPosition({ load, cursors: [] });
      },
      getLabel: ({ totalCount }) => {
        const shown = live.value?.items.length ?? 0;
        if (shown === 0) return `No ${noun}`;
        const range = `${offset + 1}–${offset + shown}`;
        return totalCount === undefined
          ? range
          : `${range} of ${totalCount} ${noun}`;
      },
    },
  };
}
