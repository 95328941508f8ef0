import { useTranslation } from 'react-i18next'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo, usePathParam } from '../../routing/location.ts'
import { Classification } from '../../ui/classification.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { COLLECTION_REFRESH, EditCollectionButton } from './collection-edit-button.tsx'
import type { Collection } from './collection-form.tsx'
import { DocumentsSection } from './documents-section.tsx'
import { FindableBy } from './findable-by.tsx'
import { SourcesSection } from './sources-section.tsx'
import { UploadSection } from './upload-section.tsx'
import { useAclTexts } from './use-acl-texts.ts'
import { useApplicationTexts } from './use-application-texts.ts'

/** One collection: access, uploads and documents. */
export function Page() {
  const { t } = useTranslation('knowledge')
  const id = usePathParam('id')
  const { data: collection, error, refetch } = useRead('/admin/v1/collections/{id}', { params: { path: { id } } })
  const canEdit = useScopes().hasScope('knowledge:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!collection) return <PageSkeleton />
  return (
    <Frame
      title={collection.name}
      description={collection.description || undefined}
      parent={{ to: '/knowledge', label: t('allCollections') }}
      actions={canEdit && <DeleteButton collection={collection} />}
    >
      <Section title={t('access.title')} actions={canEdit && <EditCollectionButton collection={collection} />}>
        <CollectionFindableBy collection={collection} />
        <Labels collection={collection} />
      </Section>
      {canEdit && (
        <UploadSection
          collectionId={id}
          afterUploads={
            <CollectionFindableBy collection={collection} action={<EditCollectionButton collection={collection} />} />
          }
        />
      )}
      <SourcesSection collectionId={id} canEdit={canEdit} />
      <DocumentsSection collectionId={id} canAdd={canEdit} />
    </Frame>
  )
}

interface CollectionProps {
  readonly collection: Collection
}

function CollectionFindableBy({ collection, action }: CollectionProps & { readonly action?: React.ReactNode }) {
  const { acl, classification, applications } = collection
  return (
    <FindableBy
      of="collection"
      acls={acl === null ? [] : [acl]}
      // Documents without a label count as restricted.
      level={classification ?? 'restricted'}
      lacksClassification={classification === null}
      applications={applications}
      action={action}
    />
  )
}

function Labels({ collection: { id, acl, classification, regulations, applications } }: CollectionProps) {
  const { t } = useTranslation('knowledge')
  const { readersOf } = useAclTexts()
  const applicationsOf = useApplicationTexts()
  return (
    <DescriptionList
      items={[
        [t('access.readers'), acl === null ? t('form.noReaders') : readersOf([acl])],
        [
          t('access.classification'),
          <Classification key="level" level={classification} fallback={t('collections.noClassification')} />,
        ],
        [t('access.regulations'), regulations.join(', ') || null],
        [t('form.applications'), applicationsOf(applications)],
        [t('access.id'), <Copyable key="id" value={id} label={t('access.id')} />],
      ]}
    />
  )
}

function DeleteButton({ collection: { id, name } }: CollectionProps) {
  const { t } = useTranslation('knowledge')
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/collections/{id}', {
    expire: COLLECTION_REFRESH,
    onDone: () => navigateTo('/knowledge'),
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={t('delete.question', { name })}
      consequence={t('delete.collection')}
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      {t('delete.label')}
    </ConfirmButton>
  )
}
