import { Button, Group, NumberInput, Stack, Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
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
  const { t } = useTranslation('workspace')
  const { audit_retention_days, message_retention_days } = workspace.settings
  const form = useForm({ initialValues: { audit_retention_days, message_retention_days } })
  const { save, saving } = useSave(workspace)
  const stored = { audit_retention_days, message_retention_days }
  useFormSync(form, stored)
  const keepsForever = form.getValues().message_retention_days === null
  const days = { min: 1, max: MAX_DAYS, allowDecimal: false, readOnly, suffix: t('retention.days'), maw: 420 }
  return (
    <Section title={t('retention.title')}>
      <form
        onSubmit={form.onSubmit((settings) =>
          save(
            { settings: changedFields(settings, form.getInitialValues()) },
            { onSuccess: () => form.resetDirty(settings), onError: showSettingsError(form) },
          ),
        )}
      >
        <Stack>
          <NumberInput
            label={t('retention.records')}
            description={t('retention.recordsHint')}
            required
            {...days}
            {...form.getInputProps('audit_retention_days')}
          />
          <Switch
            label={t('retention.forever')}
            checked={keepsForever}
            disabled={readOnly}
            onChange={({ currentTarget }) =>
              form.setFieldValue('message_retention_days', currentTarget.checked ? null : DEFAULT_DAYS)
            }
          />
          {!keepsForever && (
            <NumberInput label={t('retention.messages')} required {...days} {...form.getInputProps('message_retention_days')} />
          )}
          {!readOnly && (
            <Group justify="flex-end">
              <Button type="submit" variant="default" disabled={!form.isDirty()} loading={saving}>
                {t('retention.save')}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Section>
  )
}
