import { Fieldset, Radio, Stack, TagsInput, Text } from '@mantine/core'
import { ACL_LISTS, type Acl } from './acl.ts'

interface AclFieldProps {
  readonly value: Acl | null
  readonly onChange: (acl: Acl | null) => void
  /** What it means when nothing is said: "Nobody, unless a document says otherwise". */
  readonly unsaid: string
  readonly error?: string | undefined
}

const LABELS = { departments: 'Departments', roles: 'Roles', users: 'Users, by id' } as const

/** Who may read: everybody, or whoever one of the lists names. */
export function AclField({ value, onChange, unsaid, error }: AclFieldProps) {
  const kind = value === null ? 'unsaid' : value.everyone ? 'everyone' : 'lists'
  const choose = (chosen: string) => onChange(chosen === 'unsaid' ? null : chosen === 'everyone' ? { everyone: true } : {})
  return (
    <Fieldset legend="Who may read">
      <Stack gap="sm">
        <Radio.Group aria-label="Who may read" value={kind} onChange={choose}>
          <Stack gap="xs">
            <Radio value="unsaid" label={unsaid} />
            <Radio value="everyone" label="Everyone" />
            <Radio value="lists" label="Whoever one of these lists names" />
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
              onChange={(words) => onChange({ ...value, [list]: words })}
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
