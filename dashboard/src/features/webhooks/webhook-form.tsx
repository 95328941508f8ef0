import { Input, MultiSelect, SegmentedControl, Switch, Text, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { type FormProps, SubmitForm } from '../../ui/submit-form.tsx'
import { FORMATS, type Format, GOVERNANCE_TYPES, typesIn, useEventTypes, type Webhook } from './event-types.ts'

interface Values {
  format: Format
  url: string
  /** All events of the format, also of later releases. */
  all: boolean
  types: NonNullable<Webhook['types']>
  enabled: boolean
}

export const valuesOf = (webhook?: Webhook): Values => ({
  format: webhook?.format ?? 'standard',
  url: webhook?.url ?? '',
  all: webhook?.types === null,
  types: webhook?.types ?? [...GOVERNANCE_TYPES],
  enabled: webhook?.enabled ?? true,
})

export const useWebhookForm = (webhook?: Webhook): UseFormReturnType<Values> =>
  useForm<Values>({
    initialValues: valuesOf(webhook),
    validate: {
      types: (types, { all }) => (all || types.length > 0 ? null : i18next.t('webhooks:form.noEvents')),
    },
  })

export const webhookBody = ({ format, url, all, types, enabled }: Values) => ({
  format,
  url,
  types: all ? null : types,
  enabled,
})

export function WebhookForm({ form, onSubmit, submit, pending }: FormProps<Values>) {
  const { t } = useTranslation('webhooks')
  const { optionsIn } = useEventTypes()
  const { format, all, types } = form.getValues()
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={submit} pending={pending}>
      <Input.Wrapper label={t('form.format')} labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label={t('form.format')}
          data={FORMATS.map((value) => ({ value, label: t(`formats.${value}`) }))}
          value={format}
          onChange={(value) => form.setValues({ format: value as Format, types: typesIn(value as Format, types) })}
        />
        <Text size="xs" c="dimmed" mt={6}>
          {t(`form.hints.${format}`)}
        </Text>
      </Input.Wrapper>
      <TextInput
        label={t('form.url')}
        type="url"
        required
        data-autofocus
        placeholder="https://…"
        {...form.getInputProps('url')}
      />
      <Switch
        label={t('form.all')}
        description={t(format === 'standard' ? 'form.allHint' : 'form.allHintChat')}
        {...form.getInputProps('all', { type: 'checkbox' })}
      />
      {!all && (
        <MultiSelect label={t('form.events')} searchable clearable data={optionsIn(format)} {...form.getInputProps('types')} />
      )}
      <Switch
        label={t('form.enabled')}
        description={t('form.enabledHint')}
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
    </SubmitForm>
  )
}
