/** Sets a rule for a scope; what is left unchanged comes from the next broader rule. */
import {
  Button,
  Dialog,
  DialogBody,
  DialogFooter,
  DialogHeader,
  Flex,
  Grid,
  Select,
  Text,
  TextField,
} from '@backstage/ui';
import { useApi } from '@backstage/core-plugin-api';
import type {
  ApiPolicyRule,
  ApiPolicySettings,
} from '@plumbline/backstage-plugin-drift-common';
import { DateTime } from 'luxon';
import { useCallback, useEffect, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useAction } from '../api/useAction';
import { ActionProblem } from '../components/ActionProblem';
import { useLive } from '../live/useLive';
import { DURATIONS, endOf, type DurationId } from './duration';
import { formatWholeDuration } from '../live/time';
import {
  EMPTY_DRAFT,
  problemsOf,
  readTimes,
  SETTING_FIELDS,
  TIME_FIELDS,
  toRule,
  type RuleDraft,
} from './draft';

const ANY = 'any';

export function RuleDialog(props: {
  isOpen: boolean;
  onClose: () => void;
  onDone: (rule: ApiPolicyRule) => void;
}) {
  const { isOpen, onClose, onDone } = props;
  const api = useApi(driftApiRef);
  const [draft, setDraft] = useState<RuleDraft>(EMPTY_DRAFT);
  const [duration, setDuration] = useState<DurationId>('open');
  const save = useAction(() =>
    api.setPolicy(toRule(draft, endOf(duration, DateTime.now()))),
  );
  useEffect(() => {
    if (!isOpen) return;
    save.reset();
    setDraft(EMPTY_DRAFT);
    setDuration('open');
    // Only when it opens.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen]);

  const set = (change: Partial<RuleDraft>) => setDraft({ ...draft, ...change });
  const problems = problemsOf(draft);
  const given = { ...draft.settings, ...readTimes(draft.times) };
  const isComplete =
    draft.reason.trim() !== '' &&
    Object.keys(given).length > 0 &&
    Object.keys(problems).length === 0;
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={open => !open && onClose()}
      width="min(46rem, 95vw)"
    >
      <DialogHeader>Add a rule</DialogHeader>
      <DialogBody>
        <Flex direction="column" gap="4">
          <ActionProblem state={save.state} />
          <Text as="h3" weight="bold">
            For which resources (empty: all)
          </Text>
          <Grid.Root columns={{ initial: '1', sm: '2' }} gap="3">
            <PlatformChoice
              value={draft.scope.platform}
              onChange={platform =>
                set({ scope: { ...draft.scope, platform } })
              }
            />
            {(['kind', 'namespace', 'name'] as const).map(name => (
              <TextField
                key={name}
                label={name[0].toLocaleUpperCase('en-US') + name.slice(1)}
                size="small"
                value={draft.scope[name] ?? ''}
                onChange={value =>
                  set({ scope: { ...draft.scope, [name]: value } })
                }
              />
            ))}
          </Grid.Root>
          <Text as="h3" weight="bold">
            What holds for them
          </Text>
          <Grid.Root columns={{ initial: '1', sm: '2' }} gap="3">
            {SETTING_FIELDS.map(({ name, label, options }) => (
              <Select
                key={name}
                label={label}
                size="small"
                options={[{ id: ANY, label: 'Unchanged' }, ...options]}
                value={String(draft.settings[name] ?? ANY)}
                onChange={key =>
                  set({
                    settings: withSetting(draft.settings, name, String(key)),
                  })
                }
              />
            ))}
            {TIME_FIELDS.map(({ name, label, example, min, max }) => (
              <TextField
                key={name}
                label={label}
                size="small"
                description={`${formatWholeDuration(
                  min,
                )} to ${formatWholeDuration(
                  max,
                )}, such as ${example}. Empty: unchanged.`}
                validationBehavior="aria"
                validate={() => problems[name]}
                value={draft.times[name] ?? ''}
                onChange={value =>
                  set({ times: { ...draft.times, [name]: value } })
                }
              />
            ))}
          </Grid.Root>
          <TextField
            label="Reason"
            isRequired
            value={draft.reason}
            onChange={reason => set({ reason })}
            maxLength={2000}
          />
          <Select
            label="How long"
            options={DURATIONS.map(({ id, label }) => ({ id, label }))}
            value={duration}
            onChange={key => setDuration(key as DurationId)}
          />
        </Flex>
      </DialogBody>
      <DialogFooter>
        <Button
          variant="primary"
          isDisabled={!isComplete}
          isPending={save.state.status === 'running'}
          onPress={async () => {
            const rule = await save.run();
            if (rule) onDone(rule);
          }}
        >
          Set the rule
        </Button>
        <Button variant="secondary" onPress={onClose}>
          Cancel
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

function withSetting(
  settings: ApiPolicySettings,
  name: keyof ApiPolicySettings,
  choice: string,
): ApiPolicySettings {
  const { [name]: _old, ...rest } = settings;
  if (choice === ANY) return rest;
  const value =
    choice === 'true' || choice === 'false' ? choice === 'true' : choice;
  return { ...rest, [name]: value };
}

function PlatformChoice(props: {
  value: string | undefined;
  onChange: (platform: string | undefined) => void;
}) {
  const api = useApi(driftApiRef);
  const fleet = useLive(useCallback(() => api.getFleet(), [api]));
  const options = (fleet.value?.platforms ?? [])
    .filter(platform => platform.kind === 'platform')
    .map(platform => ({ id: platform.id, label: platform.title }));
  return (
    <Select
      label="Platform"
      size="small"
      options={[{ id: ANY, label: 'All platforms' }, ...options]}
      value={props.value ?? ANY}
      onChange={key => props.onChange(key === ANY ? undefined : String(key))}
    />
  );
}
