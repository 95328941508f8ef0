import { Button, MultiSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { type Scope, useSession } from '../../api/session.ts'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'

/** Issues a token with the scopes that are chosen, of those that one has oneself. */
export function IssueButton({ onIssued }: { readonly onIssued: (token: string) => void }) {
  const [opened, { open, close }] = useDisclosure()
  const own = useSession().data?.scopes ?? []
  const form = useForm({
    initialValues: { name: '', scopes: [] as Scope[] },
    validate: { scopes: (scopes) => (scopes.length === 0 ? 'Choose at least one' : null) },
  })
  const issue = useChange('post', '/admin/v1/tokens', {
    refresh: ['/admin/v1/tokens'],
    onDone: ({ token }) => {
      close()
      form.reset()
      onIssued(token)
    },
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button onClick={open}>Issue a token</Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !issue.isPending} onClose={dismiss} title="Issue an admin token">
        <form onSubmit={form.onSubmit((body) => issue.mutate({ body }, { onError: showInForm(form) }))}>
          <Stack>
            <TextInput label="Name" description="What will use it" required data-autofocus {...form.getInputProps('name')} />
            <MultiSelect label="Scopes" required searchable data={own} {...form.getInputProps('scopes')} />
            <Button type="submit" loading={issue.isPending}>
              Issue
            </Button>
          </Stack>
        </form>
      </FormModal>
    </>
  )
}
