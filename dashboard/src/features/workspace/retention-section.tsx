import { Button, Group, NumberInput, Stack, Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { changedFields } from '../../ui/changed-fields.ts'
import { Section } from '../../ui/section.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { useSave } from './current-workspace.ts'
import type { SettingsSectionProps } from './general-section.tsx'
import { showSettingsError } from './settings-errors.ts'

const MAX_DAYS = 36_500
const DEFAULT_DAYS = 365

/** Retention of audit records and messages. */
export function RetentionSection({ workspace, readOnly }: SettingsSectionProps) {
  const { audit_retention_days, message_retention_days } = workspace.settings
  const form = useForm({ initialValues: { audit_retention_days, message_retention_days } })
  const { save, saving } = useSave(workspace)
  const stored = { audit_retention_days, message_retention_days }
  useFormSync(form, stored)
  const keepsForever = form.getValues().message_retention_days === null
  const days = { min: 1, max: MAX_DAYS, allowDecimal: false, readOnly, suffix: ' days', maw: 260 }
  return (
    <Section title="Retention">
      <form
        onSubmit={form.onSubmit((settings) =>
          save(
            { settings: changedFields(settings, stored) },
            { onSuccess: () => form.resetDirty(), onError: showSettingsError(form) },
          ),
        )}
      >
        <Stack>
          <NumberInput
            label="Audit record retention"
            description="Older records are deleted. The remaining log can still be verified"
            required
            {...days}
            {...form.getInputProps('audit_retention_days')}
          />
          <Switch
            label="Keep messages forever"
            checked={keepsForever}
            disabled={readOnly}
            onChange={({ currentTarget }) =>
              form.setFieldValue('message_retention_days', currentTarget.checked ? null : DEFAULT_DAYS)
            }
          />
          {!keepsForever && (
            <NumberInput label="Message retention" required {...days} {...form.getInputProps('message_retention_days')} />
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
