import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { UserForm, userBody, useUserForm } from './user-form.tsx'
import { USER_PATHS } from './user-paths.ts'

export function CreateButton() {
  const [opened, { open, close }] = useDisclosure()
  const form = useUserForm()
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/users', {
    refresh: USER_PATHS,
    onDone: ({ id }) => navigateTo(`/settings/users/${encodeURIComponent(id)}`),
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button onClick={open}>Create user</Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !create.isPending} onClose={dismiss} title="Create user" size="lg">
        <UserForm
          isNew
          form={form}
          submit="Create"
          pending={create.isPending}
          onSubmit={({ id, ...values }) =>
            create.mutate(
              { body: { ...userBody({ id, ...values }), ...(id.trim() && { id: id.trim() }) } },
              { onError: showFormError(form) },
            )
          }
        />
      </FormModal>
    </>
  )
}
