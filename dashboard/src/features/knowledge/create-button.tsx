import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { useGo } from '../../routing/location.ts'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { CollectionForm, collectionBody, useCollectionForm } from './collection-form.tsx'

/** Makes a collection and goes there, where documents can be brought in. */
export function CreateButton() {
  const [opened, { open, close }] = useDisclosure()
  const form = useCollectionForm()
  const go = useGo()
  const create = useChange('post', '/admin/v1/collections', {
    refresh: ['/admin/v1/collections'],
    onDone: ({ id }) => go(`/knowledge/${id}`),
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button onClick={open}>New collection</Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !create.isPending} onClose={dismiss} title="New collection" size="lg">
        <CollectionForm
          form={form}
          submit="Create"
          pending={create.isPending}
          onSubmit={(values) => create.mutate({ body: collectionBody(values) }, { onError: showInForm(form) })}
        />
      </FormModal>
    </>
  )
}
