/** What every verdict means, one sentence each, behind a button. */
import { ButtonIcon, DialogTrigger, Popover, Text } from '@backstage/ui';
import { RiInformationLine } from '@remixicon/react';
import { Fragment } from 'react';
import { VERDICT_LOOKS, VERDICT_ORDER } from './verdicts';
import { VerdictTag } from './VerdictTag';
import styles from './VerdictTag.module.css';

export function VerdictLegend() {
  return (
    <DialogTrigger>
      <ButtonIcon
        variant="tertiary"
        size="small"
        aria-label="What the verdicts mean"
        icon={<RiInformationLine />}
      />
      <Popover placement="bottom end" aria-label="What the verdicts mean">
        <dl className={styles.legend}>
          {VERDICT_ORDER.map(verdict => (
            <Fragment key={verdict}>
              <dt>
                <VerdictTag verdict={verdict} />
              </dt>
              <dd>
                <Text variant="body-small">
                  {VERDICT_LOOKS[verdict].meaning}
                </Text>
              </dd>
            </Fragment>
          ))}
        </dl>
      </Popover>
    </DialogTrigger>
  );
}
