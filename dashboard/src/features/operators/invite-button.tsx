import { Button, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import type { Role } from '../../api/session.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { ROLE_PURPOSES } from '../../ui/roles.ts'
import { ROLE_CHOICES } from './role-choices.ts'

/** Creates an invitation link, which the operator sends by other means. */
export function InviteButton({ onLink }: { readonly onLink: (url: string) => void }) {
  const [opened, { open, close }] = useDisclosure()
  const form = useForm({ initialValues: { name: '', email: '', role: 'read_only' as Role } })
  const invite = useChange('post', '/admin/v1/operators', {
    refresh: ['/admin/v1/operators'],
    onDone: ({ url }) => {
      close()
      form.reset()
      onLink(url)
    },
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button onClick={open}>Invite operator</Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !invite.isPending} onClose={dismiss} title="Invite operator">
        <form onSubmit={form.onSubmit((body) => invite.mutate({ body }, { onError: showFormError(form) }))}>
          <Stack>
            <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
            <TextInput label="Email" type="email" required {...form.getInputProps('email')} />
            <Select
              label="Role"
              description={ROLE_PURPOSES[form.getValues().role]}
              data={ROLE_CHOICES}
              allowDeselect={false}
              {...form.getInputProps('role')}
            />
            <Button type="submit" loading={invite.isPending}>
              Create invitation link
            </Button>
          </Stack>
        </form>
      </FormModal>
    </>
  )
}
