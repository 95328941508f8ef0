import { Button, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { useGo } from '../../routing/location.ts'
import { showInForm } from '../../ui/form-errors.ts'

/** Creates an Application and goes to its keys: it is of no use without one. */
export function CreateButton() {
  const [opened, { open, close }] = useDisclosure()
  const go = useGo()
  const form = useForm({ initialValues: { name: '' } })
  const create = useChange('post', '/admin/v1/applications', {
    refresh: ['/admin/v1/applications'],
    onDone: ({ id }) => go(`/applications/${id}`, { tab: 'keys' }),
  })
  return (
    <>
      <Button onClick={open}>New Application</Button>
      <Modal opened={opened} onClose={close} title="New Application">
        <form
          onSubmit={form.onSubmit(({ name }) => create.mutate({ body: { name: name.trim() } }, { onError: showInForm(form) }))}
        >
          <Stack>
            <TextInput
              label="Name"
              description="Policies and records call it so. Everything else has a default and can be changed later."
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
