/** Two states side by side as YAML; loaded only when somebody asks for it. */
import { Text } from '@backstage/ui';
import { createTwoFilesPatch } from 'diff';
import { useMemo } from 'react';
import { Decoration, Diff, Hunk, parseDiff } from 'react-diff-view';
import 'react-diff-view/style/index.css';
import { formatState } from '../components/values';
import styles from './RawDiff.module.css';

const ALL_LINES = 100_000;

interface Side {
  label: string;
  /** Absent: nothing is there on this side. */
  state: unknown;
}

export default function RawDiff(props: { left: Side; right: Side }) {
  const { left, right } = props;
  const file = useMemo(() => {
    const patch = createTwoFilesPatch(
      'left',
      'right',
      formatState(left.state),
      formatState(right.state),
      undefined,
      undefined,
      { context: ALL_LINES },
    );
    // The parser reads Git's dialect: its header stands in for the patch's own title line.
    const withHeader = patch.replace(
      /^=+\n/,
      'diff --git a/left b/right\nindex 0000000..1111111 100644\n',
    );
    return parseDiff(withHeader, { nearbySequences: 'zip' })[0];
  }, [left.state, right.state]);
  if (!file || file.hunks.length === 0) {
    return <Text color="secondary">Both sides read the same as YAML.</Text>;
  }
  return (
    <div
      className={styles.diff}
      role="region"
      aria-label={`${left.label} and ${right.label} as YAML`}
      // A scrolling region has to be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      <Diff viewType="split" diffType={file.type} hunks={file.hunks}>
        {hunks => [
          <Decoration key="head">
            <div className={styles.head}>
              <Text weight="bold">{left.label}</Text>
              <Text weight="bold">{right.label}</Text>
            </div>
          </Decoration>,
          ...hunks.map(hunk => <Hunk key={hunk.content} hunk={hunk} />),
        ]}
      </Diff>
    </div>
  );
}
