import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { CollectionForm, collectionBody, useCollectionForm } from './collection-form.tsx'

/** Creates a collection and opens it. */
export function CreateButton() {
  const { t } = useTranslation('knowledge')
  const form = useCollectionForm()
  const dialog = useFormDialog(form)
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/collections', {
    refresh: ['/admin/v1/collections'],
    onDone: ({ id }) => navigateTo(`/knowledge/${id}`),
  })
  return (
    <FormDialog dialog={dialog} title={t('create.title')} fragment="#create" wide pending={create.isPending}>
      <CollectionForm
        form={form}
        submit={t('create.submit')}
        pending={create.isPending}
        onSubmit={(values) => create.mutate({ body: collectionBody(values) }, { onError: showFormError(form) })}
      />
    </FormDialog>
  )
}
