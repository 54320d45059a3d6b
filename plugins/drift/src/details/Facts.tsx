/** A short list of named facts; what is not known is left out. */
import type { ReactNode } from 'react';
import styles from './Facts.module.css';

export function Facts(props: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className={styles.facts}>
      {props.facts.map(
        ([name, value]) =>
          value !== undefined &&
          value !== '' && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
