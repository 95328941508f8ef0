import { Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useChange } from '../../api/queries.ts'
import type { Role } from '../../api/session.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { ROLE_CHOICES, ROLE_PURPOSES } from '../../ui/roles.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'

/** Creates an invitation link, which the operator sends by other means. */
export function InviteButton({ onLink }: { readonly onLink: (url: string) => void }) {
  const form = useForm({ initialValues: { name: '', email: '', role: 'read_only' as Role } })
  const dialog = useFormDialog(form)
  const invite = useChange('post', '/admin/v1/operators', {
    refresh: ['/admin/v1/operators'],
    onDone: ({ url }) => {
      dialog.dismiss()
      onLink(url)
    },
  })
  return (
    <FormDialog dialog={dialog} title="Invite operator" pending={invite.isPending}>
      <SubmitForm
        onSubmit={form.onSubmit((body) => invite.mutate({ body }, { onError: showFormError(form) }))}
        submit="Create invitation link"
        pending={invite.isPending}
      >
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        <TextInput label="Email" type="email" required {...form.getInputProps('email')} />
        <Select
          label="Role"
          description={ROLE_PURPOSES[form.getValues().role]}
          data={ROLE_CHOICES}
          allowDeselect={false}
          {...form.getInputProps('role')}
        />
      </SubmitForm>
    </FormDialog>
  )
}
