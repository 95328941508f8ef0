import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo, usePathParam } from '../../routing/location.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { Classification } from '../../ui/classification.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { EDIT_BUTTON, FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { formatAcl } from './acl.ts'
import { type Collection, CollectionForm, collectionBody, useCollectionForm, valuesOf } from './collection-form.tsx'
import { DocumentsSection } from './documents-section.tsx'
import { UploadSection } from './upload-section.tsx'

const REFRESH = ['/admin/v1/collections', '/admin/v1/documents']

/** One collection: labels, uploads and documents. */
export function Page() {
  const id = usePathParam('id')
  const { data: collection, error, refetch } = useRead('/admin/v1/collections/{id}', { params: { path: { id } } })
  const canEdit = useScopes().hasScope('knowledge:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!collection) return <PageSkeleton />
  return (
    <Frame
      title={collection.name}
      description={collection.description || undefined}
      parent={{ to: '/knowledge', label: 'All collections' }}
      actions={canEdit && <DeleteButton collection={collection} />}
    >
      <Section title="Access" actions={canEdit && <EditButton collection={collection} />}>
        <DescriptionList
          items={[
            ['Readers', formatAcl(collection.acl, 'No users, unless a document has its own readers')],
            ['Classification', <Classification key="level" level={collection.classification} fallback="None: restricted" />],
            ['Regulations', collection.regulations.join(', ') || null],
            ['Applications', applicationsLabel(collection.applications)],
            ['ID', <Copyable key="id" value={collection.id} label="ID" />],
          ]}
        />
      </Section>
      {canEdit && <UploadSection collectionId={id} />}
      <DocumentsSection collectionId={id} canAdd={canEdit} />
    </Frame>
  )
}

const applicationsLabel = (applications: Collection['applications']): string =>
  applications === null
    ? 'All Applications'
    : `${applications.length} ${applications.length === 1 ? 'Application' : 'Applications'}`

function EditButton({ collection }: { readonly collection: Collection }) {
  const form = useCollectionForm(collection)
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/collections/{id}', { refresh: REFRESH, onDone: dialog.saved })
  useFormSync(form, valuesOf(collection))
  const { id } = collection
  return (
    <FormDialog dialog={dialog} title={`Edit ${collection.name}`} {...EDIT_BUTTON} wide pending={update.isPending}>
      <CollectionForm
        form={form}
        submit="Save"
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            { params: { path: { id } }, body: changedFields(collectionBody(values), collectionBody(valuesOf(collection))) },
            { onError: showFormError(form) },
          )
        }
      />
    </FormDialog>
  )
}

function DeleteButton({ collection: { id, name } }: { readonly collection: Collection }) {
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/collections/{id}', {
    expire: REFRESH,
    onDone: () => navigateTo('/knowledge'),
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={`Delete ${name}?`}
      consequence="All its documents are erased and no longer found in searches. This cannot be undone."
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      Delete
    </ConfirmButton>
  )
}
