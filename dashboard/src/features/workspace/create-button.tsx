import { Button, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { useGo } from '../../routing/location.ts'
import { showInForm } from '../../ui/form-errors.ts'

/** Makes a Workspace and goes there. */
export function CreateButton() {
  const [opened, { open, close }] = useDisclosure()
  const form = useForm({ initialValues: { name: '' } })
  const go = useGo()
  const create = useChange('post', '/admin/v1/workspaces', {
    refresh: ['/admin/v1/session'],
    onDone: ({ name }) => {
      close()
      form.reset()
      go('/settings/workspace', { workspace: name })
    },
  })
  return (
    <>
      <Button variant="default" onClick={open}>
        New Workspace
      </Button>
      <Modal opened={opened} onClose={close} title="New Workspace">
        <form onSubmit={form.onSubmit((body) => create.mutate({ body }, { onError: showInForm(form) }))}>
          <Stack>
            <TextInput
              label="Name"
              description="It begins empty, with an audit log of its own"
              required
              data-autofocus
              {...form.getInputProps('name')}
            />
            <Button type="submit" loading={create.isPending}>
              Create
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
