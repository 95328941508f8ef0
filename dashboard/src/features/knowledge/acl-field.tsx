import { Fieldset, Radio, Stack, TagsInput, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ACL_LISTS, type Acl } from './acl.ts'

interface AclFieldProps {
  readonly value: Acl | null
  readonly onChange: (acl: Acl | null) => void
  /** Label of the choice without an ACL. */
  readonly unsetLabel: string
  readonly error?: string | undefined
}

/** Edits an ACL: all users, or users in at least one of the lists. */
export function AclField({ value, onChange, unsetLabel, error }: AclFieldProps) {
  const { t } = useTranslation('knowledge')
  const kind = value === null ? 'unset' : value.everyone ? 'everyone' : 'lists'
  const choose = (selected: string) => onChange(selected === 'unset' ? null : selected === 'everyone' ? { everyone: true } : {})
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
        {kind === 'lists' &&
          ACL_LISTS.map((list) => (
            <TagsInput
              key={list}
              label={t(`form.${list}`)}
              placeholder={t('form.typeAndEnter')}
              acceptValueOnBlur
              value={value?.[list] ?? []}
              onChange={(entries) => onChange({ ...value, [list]: entries })}
            />
          ))}
        {error && (
          <Text size="xs" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
      </Stack>
    </Fieldset>
  )
}
