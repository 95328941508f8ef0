import { Button, MultiSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { type Scope, useSession } from '../../api/session.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'

/** Creates an admin token with a selection of the operator's own scopes. */
export function CreateButton({ onCreated }: { readonly onCreated: (token: string) => void }) {
  const [opened, { open, close }] = useDisclosure()
  const own = useSession().data?.scopes ?? []
  const form = useForm({
    initialValues: { name: '', scopes: [] as Scope[] },
    validate: { scopes: (scopes) => (scopes.length === 0 ? 'Choose at least one scope' : null) },
  })
  const create = useChange('post', '/admin/v1/tokens', {
    refresh: ['/admin/v1/tokens'],
    onDone: ({ token }) => {
      close()
      form.reset()
      onCreated(token)
    },
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button onClick={open}>Create token</Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !create.isPending} onClose={dismiss} title="Create admin token">
        <form onSubmit={form.onSubmit((body) => create.mutate({ body }, { onError: showFormError(form) }))}>
          <Stack>
            <TextInput
              label="Name"
              description="Where the token is used"
              required
              data-autofocus
              {...form.getInputProps('name')}
            />
            <MultiSelect label="Scopes" required searchable data={own} {...form.getInputProps('scopes')} />
            <Button type="submit" loading={create.isPending}>
              Create
            </Button>
          </Stack>
        </form>
      </FormModal>
    </>
  )
}
