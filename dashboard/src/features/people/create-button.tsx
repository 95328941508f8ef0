import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { useGo } from '../../routing/location.ts'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { PEOPLE } from './paths.ts'
import { UserForm, userBody, useUserForm } from './user-form.tsx'

export function CreateButton() {
  const [opened, { open, close }] = useDisclosure()
  const form = useUserForm()
  const go = useGo()
  const create = useChange('post', '/admin/v1/users', {
    refresh: PEOPLE,
    onDone: ({ id }) => go(`/settings/users/${encodeURIComponent(id)}`),
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button onClick={open}>New user</Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !create.isPending} onClose={dismiss} title="New user" size="lg">
        <UserForm
          isNew
          form={form}
          submit="Create"
          pending={create.isPending}
          onSubmit={({ id, ...values }) =>
            create.mutate(
              { body: { ...userBody({ id, ...values }), ...(id.trim() && { id: id.trim() }) } },
              { onError: showInForm(form) },
            )
          }
        />
      </FormModal>
    </>
  )
}
