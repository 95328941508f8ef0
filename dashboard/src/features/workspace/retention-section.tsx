import { Button, Group, NumberInput, Stack, Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { changedOnly } from '../../ui/changed-only.ts'
import { Section } from '../../ui/section.tsx'
import { useEdited } from '../../ui/use-edited.ts'
import { useSave } from './current-workspace.ts'
import type { SettingsSectionProps } from './general-section.tsx'
import { showInSettings } from './settings-errors.ts'

const MAX_DAYS = 36_500
const A_YEAR = 365

/** How long audit records and messages are kept. */
export function RetentionSection({ workspace, readOnly }: SettingsSectionProps) {
  const { audit_retention_days, message_retention_days } = workspace.settings
  const form = useForm({ initialValues: { audit_retention_days, message_retention_days } })
  const { save, saving } = useSave(workspace)
  const stored = { audit_retention_days, message_retention_days }
  useEdited(form, stored)
  const forEver = form.getValues().message_retention_days === null
  const days = { min: 1, max: MAX_DAYS, allowDecimal: false, readOnly, suffix: ' days', maw: 260 }
  return (
    <Section title="Retention">
      <form
        onSubmit={form.onSubmit((settings) =>
          save(
            { settings: changedOnly(settings, stored) },
            { onSuccess: () => form.resetDirty(), onError: showInSettings(form) },
          ),
        )}
      >
        <Stack>
          <NumberInput
            label="Audit records are kept for"
            description="Older ones are removed; what is left still verifies"
            required
            {...days}
            {...form.getInputProps('audit_retention_days')}
          />
          <Switch
            label="Messages are kept for ever"
            checked={forEver}
            disabled={readOnly}
            onChange={({ currentTarget }) => form.setFieldValue('message_retention_days', currentTarget.checked ? null : A_YEAR)}
          />
          {!forEver && (
            <NumberInput label="Messages are kept for" required {...days} {...form.getInputProps('message_retention_days')} />
          )}
          {!readOnly && (
            <Group>
              <Button type="submit" variant="default" disabled={!form.isDirty()} loading={saving}>
                Save retention
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Section>
  )
}
