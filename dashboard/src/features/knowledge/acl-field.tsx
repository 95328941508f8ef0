import { Fieldset, Radio, Stack, TagsInput, Text } from '@mantine/core'
import { ACL_LISTS, type Acl } from './acl.ts'

interface AclFieldProps {
  readonly value: Acl | null
  readonly onChange: (acl: Acl | null) => void
  /** Label of the choice without an ACL: "No users, unless a document has its own ACL". */
  readonly unsetLabel: string
  readonly error?: string | undefined
}

const LABELS = { departments: 'Departments', roles: 'Roles', users: 'User IDs' } as const

/** Edits an ACL: all users, or users in at least one of the lists. */
export function AclField({ value, onChange, unsetLabel, error }: AclFieldProps) {
  const kind = value === null ? 'unset' : value.everyone ? 'everyone' : 'lists'
  const choose = (selected: string) => onChange(selected === 'unset' ? null : selected === 'everyone' ? { everyone: true } : {})
  return (
    <Fieldset legend="Readers">
      <Stack gap="sm">
        <Radio.Group aria-label="Readers" value={kind} onChange={choose}>
          <Stack gap="xs">
            <Radio value="unset" label={unsetLabel} />
            <Radio value="everyone" label="All users" />
            <Radio value="lists" label="Only these departments, roles and users" />
          </Stack>
        </Radio.Group>
        {kind === 'lists' &&
          ACL_LISTS.map((list) => (
            <TagsInput
              key={list}
              label={LABELS[list]}
              placeholder="Type and press Enter"
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
