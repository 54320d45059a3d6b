/** One value of one field, and the path of a field. */
import { Button } from '@backstage/ui';
import { RiKey2Line } from '@remixicon/react';
import { useState } from 'react';
import { formatValue, secretDigestOf } from './values';
import styles from './Value.module.css';

const CLAMP_CHARACTERS = 240;
const CLAMP_LINES = 4;

/** A long value is cut to a few lines, with a button to see all of it. */
export function Value(props: { value: unknown; absent?: string }) {
  const [isOpen, setOpen] = useState(false);
  if (props.value === undefined) {
    return <span className={styles.absent}>{props.absent ?? 'not there'}</span>;
  }
  const text = formatValue(props.value);
  if (secretDigestOf(props.value) !== undefined) {
    return (
      <span className={styles.secret}>
        <RiKey2Line aria-hidden />
        {text}
      </span>
    );
  }
  const isLong =
    text.length > CLAMP_CHARACTERS || text.split('\n').length > CLAMP_LINES;
  return (
    <div>
      <pre
        className={
          isLong && !isOpen ? `${styles.value} ${styles.clamped}` : styles.value
        }
      >
        {text}
      </pre>
      {isLong && (
        <Button
          size="small"
          variant="tertiary"
          aria-expanded={isOpen}
          onPress={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show less' : `Show all ${text.length} characters`}
        </Button>
      )}
    </div>
  );
}

/** A JSON pointer; its last part is what people look for. */
export function Path(props: { path: string }) {
  const end = leafStart(props.path);
  return (
    <span className={styles.path}>
      <span className={styles.parent}>{props.path.slice(0, end)}</span>
      <span className={styles.leaf}>{props.path.slice(end)}</span>
    </span>
  );
}

// Keys of list items may hold slashes: /spec/ports/[name=a/b]/port
function leafStart(path: string): number {
  let depth = 0;
  for (let index = path.length - 1; index >= 0; index--) {
    if (path[index] === ']') depth += 1;
    if (path[index] === '[') depth -= 1;
    if (path[index] === '/' && depth === 0) return index + 1;
  }
  return 0;
}
