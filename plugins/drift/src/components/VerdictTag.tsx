/** A verdict as colour, icon and text: the same everywhere. */
import { Link, ToggleButton, VisuallyHidden } from '@backstage/ui';
import type { Verdict } from '@plumbline/drift-engine';
import { VERDICT_LOOKS, countsInOrder } from './verdicts';
import styles from './VerdictTag.module.css';

export function VerdictTag(props: { verdict: Verdict; count?: number }) {
  const { label, tone, Icon, meaning } = VERDICT_LOOKS[props.verdict];
  return (
    <span className={styles.tag} data-tone={tone} title={meaning}>
      <Icon aria-hidden />
      {label}
      {props.count !== undefined && (
        <>
          {' '}
          <span className={styles.count}>{props.count}</span>
        </>
      )}
    </span>
  );
}

/** Counts by verdict, worst first; with `hrefOf`, each leads to its resources. */
export function VerdictCounts(props: {
  byVerdict: Record<string, number>;
  /** What is counted, for the links' names: "of team-a". */
  of?: string;
  hrefOf?: (verdict: Verdict) => string | undefined;
}) {
  return (
    <>
      {countsInOrder(props.byVerdict).map(([verdict, count]) => {
        const href = props.hrefOf?.(verdict);
        const tag = <VerdictTag verdict={verdict} count={count} />;
        if (!href) return <span key={verdict}>{tag}</span>;
        return (
          <Link key={verdict} href={href} className={styles.link}>
            {tag}
            {props.of && <VisuallyHidden> {props.of}</VisuallyHidden>}
          </Link>
        );
      })}
    </>
  );
}

/** Counts by verdict that filter a list. */
export function VerdictFilter(props: {
  byVerdict: Record<string, number>;
  selected: Verdict | undefined;
  onSelect: (verdict: Verdict | undefined) => void;
}) {
  return (
    <>
      {countsInOrder(props.byVerdict).map(([verdict, count]) => (
        <ToggleButton
          key={verdict}
          className={styles.toggle}
          isSelected={props.selected === verdict}
          onChange={isSelected =>
            props.onSelect(isSelected ? verdict : undefined)
          }
        >
          <VerdictTag verdict={verdict} count={count} />
          <VisuallyHidden>: show only these</VisuallyHidden>
        </ToggleButton>
      ))}
    </>
  );
}
