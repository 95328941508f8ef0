import { Alert, Button, List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { notifyError } from '../../ui/notify.ts'
import { Section } from '../../ui/section.tsx'
import { DOCUMENT_REFRESH, type Document } from './document.ts'

/** Content of the file that was not read, was read by a guess or was left out. */
export function WarningsSection({ document, canEdit }: { readonly document: Document; readonly canEdit: boolean }) {
  const { t } = useTranslation('knowledge')
  const { warnings = [] } = document
  if (warnings === null) return <UnknownWarnings document={document} canEdit={canEdit} />
  return (
    <Section title={t('warnings.title')}>
      {warnings.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('warnings.none')}
        </Text>
      ) : (
        <List size="sm">
          {warnings.map(({ kind, place, detail, message, count }) => (
            <List.Item key={JSON.stringify([kind, place, detail])} style={{ overflowWrap: 'anywhere' }}>
              {[place && `${place}:`, message, detail && `(${detail})`, count > 1 && t('warnings.times', { number: count })]
                .filter(Boolean)
                .join(' ')}
            </List.Item>
          ))}
        </List>
      )}
    </Section>
  )
}

/** An older version has read the file, which is not stored: only another upload of it can show the warnings. */
function UnknownWarnings({ document: { key, collection_id, parent_id }, canEdit }: Parameters<typeof WarningsSection>[0]) {
  const { t } = useTranslation('knowledge')
  const hasUrl = /^https?:\/\//i.test(key)
  const hint = parent_id !== null ? t('warnings.uploadContainer') : hasUrl ? t('warnings.fetchAgain') : t('warnings.uploadAgain')
  return (
    <Section title={t('warnings.title')} actions={canEdit && hasUrl && <FetchButton url={key} collectionId={collection_id} />}>
      <Alert color="yellow" variant="light" title={t('warnings.unknown')}>
        {hint}
      </Alert>
    </Section>
  )
}

function FetchButton({ url, collectionId }: { readonly url: string; readonly collectionId: string }) {
  const { t } = useTranslation('knowledge')
  const ingest = useChange('post', '/admin/v1/collections/{id}/documents', { refresh: DOCUMENT_REFRESH })
  const init = { params: { path: { id: collectionId } }, body: { documents: [{ key: url, url }] } }
  return (
    <Button
      size="xs"
      variant="default"
      loading={ingest.isPending}
      // The page shows the failure of the file.
      onClick={() => ingest.mutate(init, { onError: notifyError })}
    >
      {t('warnings.fetch')}
    </Button>
  )
}
