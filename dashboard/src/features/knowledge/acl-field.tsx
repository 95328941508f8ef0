import { Checkbox, Fieldset, Radio, Stack, TagsInput, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ACL_LISTS, type Acl } from './acl.ts'

interface AclFieldProps {
  readonly value: Acl | null
  readonly onChange: (acl: Acl | null) => void
  /** Label of the choice without an ACL. */
  readonly unsetLabel: string
  readonly error?: string | undefined
}

/** Edits an ACL: all users, or users in at least one of the lists; and users who may not read. */
export function AclField({ value, onChange, unsetLabel, error }: AclFieldProps) {
  const { t } = useTranslation('knowledge')
  const [isDenying, setDenying] = useState(value?.deny !== undefined)
  const kind = value === null ? 'unset' : value.everyone ? 'everyone' : 'lists'
  const denied = value?.deny && { deny: value.deny }
  const choose = (selected: string) =>
    onChange(selected === 'unset' ? null : { ...(selected === 'everyone' && { everyone: true }), ...denied })
  const toggleDenying = (isOn: boolean) => {
    setDenying(isOn)
    if (!isOn && value) onChange({ ...value, deny: undefined })
  }
  return (
    <Fieldset legend={t('form.readers')}>
      <Stack gap="sm">
        <Radio.Group aria-label={t('form.readers')} value={kind} onChange={choose}>
          <Stack gap="xs">
            <Radio value="unset" label={unsetLabel} />
            <Radio value="everyone" label={t('form.allUsers')} />
            <Radio value="lists" label={t('form.onlyThese')} />
          </Stack>
        </Radio.Group>
        {kind === 'lists' && <NamesFields names={value ?? {}} onChange={(names) => onChange({ ...value, ...names })} />}
        {value !== null && (
          <Checkbox
            label={t('form.deny')}
            checked={isDenying}
            onChange={({ currentTarget }) => toggleDenying(currentTarget.checked)}
          />
        )}
        {value !== null && isDenying && (
          <Fieldset legend={t('form.denied')}>
            <Stack gap="sm">
              <NamesFields names={value.deny ?? {}} onChange={(deny) => onChange({ ...value, deny })} />
            </Stack>
          </Fieldset>
        )}
        {error && (
          <Text size="xs" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
      </Stack>
    </Fieldset>
  )
}

type Names = NonNullable<Acl['deny']>

function NamesFields({ names, onChange }: { readonly names: Names; readonly onChange: (names: Names) => void }) {
  const { t } = useTranslation('knowledge')
  return ACL_LISTS.map((list) => (
    <TagsInput
      key={list}
      label={t(`form.${list}`)}
      placeholder={t('form.typeAndEnter')}
      acceptValueOnBlur
      value={names[list] ?? []}
      onChange={(entries) => onChange({ ...names, [list]: entries })}
    />
  ))
}
