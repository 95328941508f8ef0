import { Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { MoreFields } from '../../ui/more-fields.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import type { CreatedKey } from './api-key.ts'
import { KeyFields } from './key-fields.tsx'
import { bodyOf, KEY_VALIDATORS, valuesOf } from './key-values.ts'
import { TeamField } from './team-field.tsx'

const DAY_MS = 86_400_000
/** Days until the key expires. */
const EXPIRY = ['never', '30', '90', '365'] as const

const EMPTY = { ...valuesOf(), expiry: 'never' as (typeof EXPIRY)[number] }
type Values = typeof EMPTY
const FIRST_FIELDS = ['name', 'expiry', 'team_id']

interface CreateKeyButtonProps {
  readonly applicationId: string
  /** Called with the key, which cannot be read again. */
  readonly onCreated: (key: CreatedKey) => void
}

export function CreateKeyButton({ applicationId, onCreated }: CreateKeyButtonProps) {
  const { t } = useTranslation('applications')
  const form = useForm({ initialValues: EMPTY, validate: KEY_VALIDATORS })
  const dialog = useFormDialog(form)
  const create = useChange('post', '/admin/v1/applications/{id}/keys', {
    refresh: ['/admin/v1/applications/{id}/keys'],
    onDone: (issued) => {
      dialog.dismiss()
      onCreated({ ...issued, isRotated: false })
    },
  })
  const submit = ({ expiry, ...values }: Values) => {
    const expires_at = expiry === 'never' ? undefined : new Date(Date.now() + Number(expiry) * DAY_MS).toISOString()
    const body = { ...bodyOf(values), ...(expires_at && { expires_at }) }
    create.mutate({ params: { path: { id: applicationId } }, body }, { onError: showFormError(form) })
  }
  return (
    <FormDialog dialog={dialog} title={t('keys.create.title')} wide pending={create.isPending}>
      <SubmitForm onSubmit={form.onSubmit(submit)} submit={t('keys.create.action')} pending={create.isPending}>
        <TextInput
          label={t('keys.create.name')}
          description={t('keys.create.nameHint')}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label={t('keys.create.expiry')}
          description={t('keys.create.expiryHint')}
          data={EXPIRY.map((value) => ({ value, label: t(`keys.expiry.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('expiry')}
        />
        <TeamField form={form} />
        <MoreFields
          label={t('keys.fields.more')}
          hasError={Object.keys(form.errors).some((field) => !FIRST_FIELDS.includes(field))}
        >
          <KeyFields form={form} />
        </MoreFields>
      </SubmitForm>
    </FormDialog>
  )
}
