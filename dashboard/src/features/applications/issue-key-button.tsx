import { Button, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { showInForm } from '../../ui/form-errors.ts'

interface IssueKeyButtonProps {
  readonly applicationId: string
  /** Hears of the key, which nobody can read again. */
  readonly onIssued: (key: string) => void
}

export function IssueKeyButton({ applicationId: id, onIssued }: IssueKeyButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const form = useForm({ initialValues: { name: '' } })
  const issue = useChange('post', '/admin/v1/applications/{id}/keys', {
    refresh: ['/admin/v1/applications/{id}/keys'],
    onDone: ({ key }) => {
      close()
      form.reset()
      onIssued(key)
    },
  })
  const submit = ({ name }: { name: string }) =>
    issue.mutate({ params: { path: { id } }, body: { name: name.trim() } }, { onError: showInForm(form) })
  return (
    <>
      <Button onClick={open}>Issue a key</Button>
      <Modal opened={opened} onClose={close} title="Issue a key">
        <form onSubmit={form.onSubmit(submit)}>
          <Stack>
            <TextInput
              label="Name"
              description="Where it will be used: you see later which one to revoke."
              required
              data-autofocus
              {...form.getInputProps('name')}
            />
            <Button type="submit" loading={issue.isPending}>
              Issue
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
