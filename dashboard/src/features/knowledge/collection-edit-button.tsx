import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { type Collection, CollectionForm, collectionBody, useCollectionForm, valuesOf } from './collection-form.tsx'

/** Its labels are those of its documents. */
export const COLLECTION_REFRESH = ['/admin/v1/collections', '/admin/v1/documents']

/** Edits access, name and language of a collection. */
export function EditCollectionButton({ collection }: { readonly collection: Collection }) {
  const { t } = useTranslation('knowledge')
  const form = useCollectionForm(collection)
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/collections/{id}', {
    refresh: COLLECTION_REFRESH,
    onDone: () => {
      dialog.saved()
      notifySuccess(t('access.saved'))
    },
  })
  useFormSync(form, valuesOf(collection))
  const { id, name } = collection
  return (
    <FormDialog
      dialog={dialog}
      title={t('access.editTitle', { name })}
      label={t('access.edit')}
      variant="default"
      size="xs"
      wide
      pending={update.isPending}
    >
      <CollectionForm
        form={form}
        submit={t('access.save')}
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            { params: { path: { id } }, body: changedFields(collectionBody(values), collectionBody(form.getInitialValues())) },
            { onError: showFormError(form) },
          )
        }
      />
    </FormDialog>
  )
}
