import { MultiSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useChange } from '../../api/queries.ts'
import { type Scope, useSession } from '../../api/session.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'

/** Creates an admin token with a selection of the operator's own scopes. */
export function CreateButton({ onCreated }: { readonly onCreated: (token: string) => void }) {
  const own = useSession().data?.scopes ?? []
  const form = useForm({
    initialValues: { name: '', scopes: [] as Scope[] },
    validate: { scopes: (scopes) => (scopes.length === 0 ? 'Choose at least one scope' : null) },
  })
  const dialog = useFormDialog(form)
  const create = useChange('post', '/admin/v1/tokens', {
    refresh: ['/admin/v1/tokens'],
    onDone: ({ token }) => {
      dialog.dismiss()
      onCreated(token)
    },
  })
  return (
    <FormDialog dialog={dialog} title="Create admin token" label="Create token" pending={create.isPending}>
      <SubmitForm
        onSubmit={form.onSubmit((body) => create.mutate({ body }, { onError: showFormError(form) }))}
        submit="Create"
        pending={create.isPending}
      >
        <TextInput label="Name" description="Where the token is used" required data-autofocus {...form.getInputProps('name')} />
        <MultiSelect label="Scopes" required searchable data={own} {...form.getInputProps('scopes')} />
      </SubmitForm>
    </FormDialog>
  )
}
