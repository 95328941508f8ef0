import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { useGo } from '../../routing/location.ts'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { ProviderForm } from './provider-form.tsx'
import { createdOf, NEW } from './provider-values.ts'

/** Adds a provider and goes there, where it is tested and given models. */
export function AddProviderButton() {
  const [opened, { open, close }] = useDisclosure()
  const go = useGo()
  const form = useForm({ initialValues: NEW })
  const create = useChange('post', '/admin/v1/providers', {
    refresh: ['/admin/v1/providers'],
    onDone: ({ id }) => go(`/providers/${id}`),
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button onClick={open}>Add a provider</Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !create.isPending} onClose={dismiss} title="Add a provider" size="lg">
        <ProviderForm
          form={form}
          isNew
          pending={create.isPending}
          onSubmit={(values) => create.mutate({ body: createdOf(values) }, { onError: showInForm(form) })}
        />
      </FormModal>
    </>
  )
}
