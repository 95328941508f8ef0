import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { ProviderForm } from './provider-form.tsx'
import { createBody, NEW } from './provider-values.ts'

/** Adds a provider and opens it. */
export function AddProviderButton() {
  const [opened, { open, close }] = useDisclosure()
  const navigateTo = useNavigateTo()
  const form = useForm({ initialValues: NEW })
  const create = useChange('post', '/admin/v1/providers', {
    refresh: ['/admin/v1/providers'],
    onDone: ({ id }) => navigateTo(`/providers/${id}`),
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button onClick={open}>Add provider</Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !create.isPending} onClose={dismiss} title="Add provider" size="lg">
        <ProviderForm
          form={form}
          isNew
          pending={create.isPending}
          onSubmit={(values) => create.mutate({ body: createBody(values) }, { onError: showFormError(form) })}
        />
      </FormModal>
    </>
  )
}
