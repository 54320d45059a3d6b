/** A sentence of the backend: what stands in back quotes is a field or a value. */
import { Fragment } from 'react';
import styles from './Value.module.css';

export function Sentence(props: { children: string }) {
  // Odd parts stand between two back quotes; a lone one at the end is no quote.
  const parts = props.children.split('`');
  const isBalanced = parts.length % 2 === 1;
  if (!isBalanced) return <>{props.children}</>;
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index % 2 === 1 ? <code className={styles.code}>{part}</code> : part}
        </Fragment>
      ))}
    </>
  );
}
