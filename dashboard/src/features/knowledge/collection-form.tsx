import { MultiSelect, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { ItemOf } from '../../api/operations.ts'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { type FormProps, SubmitForm } from '../../ui/submit-form.tsx'
import { LabelsFields, type LabelValues, labelsBody } from './labels-fields.tsx'
import { useLanguageChoices } from './languages.ts'

export type Collection = ItemOf<'/admin/v1/collections'>

interface Values extends LabelValues {
  name: string
  description: string
  language: Collection['language']
  applications: string[] | null
}

export function useCollectionForm(collection?: Collection): UseFormReturnType<Values> {
  const { t } = useTranslation('knowledge')
  return useForm<Values>({
    initialValues: valuesOf(collection),
    validate: { name: (name) => (name.trim() === '' ? t('form.nameRequired') : null) },
  })
}

export const valuesOf = (collection?: Collection): Values => ({
  name: collection?.name ?? '',
  description: collection?.description ?? '',
  // The API has no default: without a classification, documents are restricted.
  classification: collection ? collection.classification : 'internal',
  regulations: collection?.regulations ?? [],
  acl: collection?.acl ?? null,
  language: collection?.language ?? 'en',
  applications: collection?.applications ?? null,
})

/** Request body for creating and updating. */
export const collectionBody = ({ name, description, language, applications, ...labels }: Values) => ({
  name: name.trim(),
  description,
  language,
  applications,
  ...labelsBody(labels),
})

export function CollectionForm({ form, onSubmit, submit, pending }: FormProps<Values>) {
  const { t } = useTranslation('knowledge')
  const languages = useLanguageChoices()
  const { applications } = form.getValues()
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={submit} pending={pending}>
      <TextInput label={t('form.name')} required data-autofocus {...form.getInputProps('name')} />
      <Textarea label={t('form.description')} autosize minRows={2} {...form.getInputProps('description')} />
      <LabelsFields
        form={form}
        unsetLabels={{
          classification: t('form.noClassification'),
          acl: t('form.noReaders'),
        }}
      />
      <Switch
        label={t('form.allApplications')}
        checked={applications === null}
        onChange={({ currentTarget }) => form.setFieldValue('applications', currentTarget.checked ? null : [])}
      />
      {applications !== null && <ApplicationsField {...form.getInputProps('applications')} />}
      <Select
        label={t('form.language')}
        description={t('form.languageHint')}
        allowDeselect={false}
        searchable
        data={languages}
        {...form.getInputProps('language')}
      />
    </SubmitForm>
  )
}

function ApplicationsField(input: { readonly value?: string[]; readonly onChange?: (ids: string[]) => void }) {
  const { t } = useTranslation('knowledge')
  const enabled = useScopes().hasScope('applications:read')
  const { items = [] } = useAll('/admin/v1/applications', { params: { query: { archived: 'any' } } }, { enabled })
  const choices = items.map(({ id, name }) => ({ value: id, label: name }))
  // Chosen Applications stay visible if they are not in the list.
  const unlisted = (input.value ?? []).filter((id) => !choices.some(({ value }) => value === id))
  return <MultiSelect label={t('form.applications')} searchable limit={100} data={[...choices, ...unlisted]} {...input} />
}
