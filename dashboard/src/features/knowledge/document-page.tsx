import { useTranslation } from 'react-i18next'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo, usePathParam } from '../../routing/location.ts'
import { Classification } from '../../ui/classification.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatFileSize } from '../../ui/format-file-size.ts'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { DOCUMENT_REFRESH, type Document } from './document.ts'
import { EditDocumentButton } from './document-edit-button.tsx'
import { DocumentText } from './document-text.tsx'
import { FailureAlert } from './failure-alert.tsx'
import { FindableBy } from './findable-by.tsx'
import { FlagsAlert } from './flags-alert.tsx'
import { ProgressAlert } from './progress-alert.tsx'
import { useAclTexts } from './use-acl-texts.ts'
import { IDLE_MS, POLL_MS } from './use-unfinished.ts'
import { WarningsSection } from './warnings-section.tsx'

/** One document: findings, access, text and file. */
export function Page() {
  const { t } = useTranslation('knowledge')
  const id = usePathParam('id')
  const init = { params: { path: { id } } }
  const { data: document, error, refetch } = useRead('/admin/v1/documents/{id}', init, { refetchInterval: IDLE_MS })
  const isUnfinished = document?.state === 'queued' || document?.state === 'parsed'
  useRead('/admin/v1/documents/{id}', init, { enabled: isUnfinished, refetchInterval: POLL_MS })
  const path = { id: document?.collection_id ?? '' }
  const { data: collection } = useRead('/admin/v1/collections/{id}', { params: { path } }, { enabled: document !== undefined })
  const { hasScope } = useScopes()
  const canEdit = hasScope('knowledge:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!document) return <PageSkeleton />
  return (
    <Frame
      title={document.title}
      parent={{ to: `/knowledge/${document.collection_id}`, label: collection?.name ?? t('document.parent') }}
      actions={
        <>
          {hasScope('knowledge:content') && (
            <LinkButton to="/knowledge/search" search={{ document: id }} variant="default">
              {t('document.explain')}
            </LinkButton>
          )}
          {canEdit && <DeleteButton document={document} />}
        </>
      }
    >
      {isUnfinished && <ProgressAlert document={document} />}
      {document.failure && <FailureAlert document={document} failure={document.failure} canRetry={canEdit} />}
      {document.flags && <FlagsAlert document={document} canClear={canEdit} />}
      <Section
        title={t('access.title')}
        actions={canEdit && document.parent_id === null && <EditDocumentButton document={document} />}
      >
        <FindableBy
          of="document"
          acls={document.effective.acls}
          level={document.effective.classification}
          lacksClassification={document.classification === null && collection?.classification === null}
        />
        <Labels document={document} />
      </Section>
      <WarningsSection document={document} canEdit={canEdit} />
      <DocumentText key={document.version} documentId={id} chunks={document.chunks} />
      <File document={document} />
    </Frame>
  )
}

interface DocumentProps {
  readonly document: Document
}

function Labels({ document }: DocumentProps) {
  const { t } = useTranslation('knowledge')
  const { readersOf } = useAclTexts()
  const { effective, front_matter } = document
  const format = ({ classification, regulations, acl }: Document['front_matter']): string =>
    [classification, ...regulations, acl && t('document.labelReaders', { readers: readersOf([acl]) })].filter(Boolean).join(', ')
  return (
    <DescriptionList
      items={[
        [t('access.readers'), readersOf(effective.acls)],
        [t('access.classification'), <Classification key="level" level={effective.classification} />],
        [t('access.regulations'), effective.regulations.join(', ') || null],
        [t('document.ownLabels'), format(document) || t('document.noOwnLabels')],
        [t('document.frontMatter'), format(front_matter) || null],
      ]}
    />
  )
}

function File({ document }: DocumentProps) {
  const { t } = useTranslation('knowledge')
  return (
    <Section title={t('document.file')}>
      <DescriptionList
        items={[
          [t('document.key'), document.key],
          [
            t('document.attachmentOf'),
            document.parent_id && (
              <Link key="parent" to={`/knowledge/documents/${document.parent_id}`}>
                {t('document.container')}
              </Link>
            ),
          ],
          [t('document.source'), document.source],
          [t('document.type'), document.media_type],
          [t('document.size'), formatFileSize(document.bytes)],
          [t('document.version'), document.version],
          [t('document.state'), t(`states.${document.state}`)],
          [t('document.created'), <Time key="created" at={document.created_at} />],
          [t('document.updated'), <Time key="updated" at={document.updated_at} />],
          [t('document.hash'), <Copyable key="hash" value={document.content_hash} label={t('document.hashLabel')} />],
          [t('document.id'), <Copyable key="id" value={document.id} label={t('document.id')} />],
        ]}
      />
    </Section>
  )
}

function DeleteButton({ document: { id, title, collection_id } }: DocumentProps) {
  const { t } = useTranslation('knowledge')
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/documents/{id}', {
    expire: DOCUMENT_REFRESH,
    onDone: () => navigateTo(`/knowledge/${collection_id}`),
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={t('delete.question', { name: title })}
      consequence={t('delete.document')}
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      {t('delete.label')}
    </ConfirmButton>
  )
}
