import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { CollectionForm, collectionBody, useCollectionForm } from './collection-form.tsx'

/** Creates a collection and opens it. */
export function CreateButton() {
  const [opened, { open, close }] = useDisclosure()
  const form = useCollectionForm()
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/collections', {
    refresh: ['/admin/v1/collections'],
    onDone: ({ id }) => navigateTo(`/knowledge/${id}`),
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button onClick={open}>Create collection</Button>
      <FormModal
        opened={opened}
        unsaved={form.isDirty() && !create.isPending}
        onClose={dismiss}
        title="Create collection"
        size="lg"
      >
        <CollectionForm
          form={form}
          submit="Create"
          pending={create.isPending}
          onSubmit={(values) => create.mutate({ body: collectionBody(values) }, { onError: showFormError(form) })}
        />
      </FormModal>
    </>
  )
}
