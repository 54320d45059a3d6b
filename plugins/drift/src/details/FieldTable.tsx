/** Drifted fields as rows: declared, live, last agreed, and who moved what when. */
import {
  Badge,
  Cell,
  Checkbox,
  Column,
  SearchField,
  Table,
  Text,
  useTable,
  VisuallyHidden,
  type ColumnConfig,
} from '@backstage/ui';
import {
  RiKey2Line,
  RiPushpinLine,
  RiTeamLine,
  RiDeleteBack2Line,
} from '@remixicon/react';
import type { ApiFieldChange } from '@plumbline/backstage-plugin-drift-common';
import { useMemo } from 'react';
import { Time } from '../components/Time';
import { Path, Value } from '../components/Value';
import styles from './FieldTable.module.css';

const PAGE_SIZE = 25;
const SEARCH_FROM = 10;

type Field = ApiFieldChange & { id: string };

/** Fields that a person ticks, by their paths. */
export interface FieldSelection {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
}

const MOVED_BY: Record<ApiFieldChange['movedBy'], string> = {
  declared: 'The declaration moved',
  live: 'Live moved',
  both: 'Both sides moved',
  unknown: 'Not known who moved',
};

function moved(field: ApiFieldChange, side: 'declared' | 'live') {
  return field.movedBy === side || field.movedBy === 'both' || undefined;
}

const COLUMNS: ColumnConfig<Field>[] = [
  {
    id: 'path',
    label: 'Field',
    isRowHeader: true,
    minWidth: 140,
    defaultWidth: '1.3fr',
    cell: field => (
      <Cell>
        <div className={styles.field}>
          <Path path={field.path} />
          <Marks field={field} />
        </div>
      </Cell>
    ),
  },
  {
    id: 'declared',
    label: 'Declared',
    minWidth: 110,
    defaultWidth: '1fr',
    cell: field => (
      <Cell>
        <div className={styles.side} data-moved={moved(field, 'declared')}>
          <Value value={field.declared} absent="not declared" />
        </div>
      </Cell>
    ),
  },
  {
    id: 'live',
    label: 'Live',
    minWidth: 110,
    defaultWidth: '1fr',
    cell: field => (
      <Cell>
        <div className={styles.side} data-moved={moved(field, 'live')}>
          <Value value={field.live} absent="not there" />
        </div>
      </Cell>
    ),
  },
  {
    id: 'lastAgreed',
    label: 'Last agreed',
    minWidth: 100,
    defaultWidth: '1fr',
    cell: field => (
      <Cell>
        <Value value={field.lastAgreed} absent="never" />
      </Cell>
    ),
  },
  {
    id: 'movedBy',
    label: 'Moved by',
    minWidth: 150,
    defaultWidth: '1.1fr',
    cell: field => (
      <Cell>
        <MovedBy field={field} />
      </Cell>
    ),
  },
];

function Marks({ field }: { field: ApiFieldChange }) {
  const isLeftover = field.kind === 'leftover';
  if (!field.kept && !field.contested && !field.secret && !isLeftover) {
    return null;
  }
  return (
    <span className={styles.marks}>
      {field.kept && (
        <Badge
          size="small"
          icon={<RiPushpinLine />}
          title="A person decided to keep the live value."
        >
          kept live
        </Badge>
      )}
      {field.contested && (
        <Badge
          size="small"
          icon={<RiTeamLine />}
          title="Another controller owns this field and keeps it."
        >
          contested
        </Badge>
      )}
      {field.secret && (
        <Badge
          size="small"
          icon={<RiKey2Line />}
          title="The value never leaves the platform; equal digests mean equal values."
        >
          secret
        </Badge>
      )}
      {isLeftover && (
        <Badge
          size="small"
          icon={<RiDeleteBack2Line />}
          title="We set it once, and it is no longer declared."
        >
          left over
        </Badge>
      )}
    </span>
  );
}

function MovedBy({ field }: { field: ApiFieldChange }) {
  return (
    <div className={styles.field}>
      <Text>{MOVED_BY[field.movedBy]}</Text>
      {field.owners?.map(owner => (
        <Text
          key={`${owner.manager} ${owner.subresource ?? ''}`}
          variant="body-small"
          color="secondary"
        >
          {owner.ours ? `${owner.manager} (ours)` : owner.manager}
          {owner.subresource && ` on ${owner.subresource}`}
          {owner.time && (
            <>
              {', '}
              <Time at={owner.time} />
            </>
          )}
        </Text>
      ))}
    </div>
  );
}

// A column of its own instead of selectable rows: on those, nobody could mark a value and copy it.
function chooseColumn({
  selected,
  onChange,
}: FieldSelection): ColumnConfig<Field> {
  return {
    id: 'choose',
    label: 'Choose',
    width: 44,
    header: () => (
      <Column id="choose" width={44} minWidth={44}>
        <VisuallyHidden>Choose</VisuallyHidden>
      </Column>
    ),
    cell: field => (
      <Cell>
        <Checkbox
          aria-label={`Choose ${field.path}`}
          isSelected={selected.has(field.path)}
          onChange={isSelected => {
            const next = new Set(selected);
            if (isSelected) next.add(field.path);
            else next.delete(field.path);
            onChange(next);
          }}
        />
      </Cell>
    ),
  };
}

export function FieldTable(props: {
  fields: ApiFieldChange[];
  /** Absent: they are only shown. */
  selection?: FieldSelection;
}) {
  const { fields, selection } = props;
  const columns = useMemo(
    () => (selection ? [chooseColumn(selection), ...COLUMNS] : COLUMNS),
    [selection],
  );
  const isLong = fields.length > SEARCH_FROM;
  const data = useMemo(
    () => fields.map(field => ({ ...field, id: field.path })),
    [fields],
  );
  const { tableProps, search } = useTable<Field>({
    mode: 'complete',
    data,
    searchFn: (items, text) =>
      items.filter(item =>
        item.path.toLowerCase().includes(text.trim().toLowerCase()),
      ),
    paginationOptions:
      fields.length > PAGE_SIZE
        ? { pageSize: PAGE_SIZE, pageSizeOptions: [PAGE_SIZE, 100] }
        : { type: 'none' },
  });
  return (
    <div className={styles.table}>
      {isLong && (
        <SearchField
          className={styles.search}
          aria-label="Find a field"
          placeholder="Find a field"
          size="small"
          value={search.value}
          onChange={search.onChange}
        />
      )}
      <Table
        {...tableProps}
        columnConfig={columns}
        emptyState={<Text color="secondary">No such field.</Text>}
      />
    </div>
  );
}
