import { MultiSelect, Switch, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type FormProps, SubmitForm } from '../../ui/submit-form.tsx'
import { EVENT_TYPES, type Webhook } from './event-types.ts'

interface Values {
  url: string
  /** Empty: all. */
  types: NonNullable<Webhook['types']>
  enabled: boolean
}

export const valuesOf = (webhook?: Webhook): Values => ({
  url: webhook?.url ?? '',
  types: webhook?.types ?? [],
  enabled: webhook?.enabled ?? true,
})

export const useWebhookForm = (webhook?: Webhook): UseFormReturnType<Values> =>
  useForm<Values>({
    initialValues: valuesOf(webhook),
  })

/** Request body of a webhook. */
export const webhookBody = ({ url, types, enabled }: Values) => ({ url, types: types.length > 0 ? types : null, enabled })

export function WebhookForm({ form, onSubmit, submit, pending }: FormProps<Values>) {
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={submit} pending={pending}>
      <TextInput label="URL" type="url" required data-autofocus placeholder="https://…" {...form.getInputProps('url')} />
      <MultiSelect
        label="Events"
        placeholder={form.getValues().types.length > 0 ? '' : 'All'}
        searchable
        clearable
        data={EVENT_TYPES}
        {...form.getInputProps('types')}
      />
      <Switch
        label="Enabled"
        description="Events that occur while the webhook is disabled are not delivered later"
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
    </SubmitForm>
  )
}
