import { MultiSelect, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import type { ItemOf } from '../../api/operations.ts'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { type FormProps, SubmitForm } from '../../ui/submit-form.tsx'
import { LabelsFields, type LabelValues, labelsBody } from './labels-fields.tsx'
import { LANGUAGE_CHOICES } from './languages.ts'

export type Collection = ItemOf<'/admin/v1/collections'>

interface Values extends LabelValues {
  name: string
  description: string
  language: Collection['language']
  applications: string[] | null
}

export const useCollectionForm = (collection?: Collection): UseFormReturnType<Values> =>
  useForm<Values>({
    initialValues: valuesOf(collection),
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })

export const valuesOf = (collection?: Collection): Values => ({
  name: collection?.name ?? '',
  description: collection?.description ?? '',
  classification: collection?.classification ?? null,
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
  const { applications } = form.getValues()
  return (
    <SubmitForm onSubmit={form.onSubmit(onSubmit)} submit={submit} pending={pending}>
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
      <LabelsFields
        form={form}
        unsetLabels={{
          classification: 'None: documents are restricted',
          acl: 'No users, unless a document has its own readers',
        }}
      />
      <Switch
        label="Available to all Applications"
        checked={applications === null}
        onChange={({ currentTarget }) => form.setFieldValue('applications', currentTarget.checked ? null : [])}
      />
      {applications !== null && <ApplicationsField {...form.getInputProps('applications')} />}
      <Select
        label="Language"
        description="Used to index new documents"
        allowDeselect={false}
        searchable
        data={LANGUAGE_CHOICES}
        {...form.getInputProps('language')}
      />
    </SubmitForm>
  )
}

function ApplicationsField(input: { readonly value?: string[]; readonly onChange?: (ids: string[]) => void }) {
  const enabled = useScopes().hasScope('applications:read')
  const { items = [] } = useAll('/admin/v1/applications', {}, { enabled })
  const choices = items.map(({ id, name }) => ({ value: id, label: name }))
  // Chosen Applications stay visible if they are not in the list.
  const unlisted = (input.value ?? []).filter((id) => !choices.some(({ value }) => value === id))
  return <MultiSelect label="Applications" searchable limit={100} data={[...choices, ...unlisted]} {...input} />
}
