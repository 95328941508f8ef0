import { Alert, Loader } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Document } from './document.ts'

/** The newest upload of the document waits, or is read. The page follows it. */
export function ProgressAlert({ document: { state, version } }: { readonly document: Pick<Document, 'state' | 'version'> }) {
  const { t } = useTranslation('knowledge')
  return (
    <Alert
      color="blue"
      variant="light"
      role="status"
      icon={<Loader size={18} aria-hidden />}
      title={t(state === 'queued' ? 'progress.queued' : 'progress.parsed')}
    >
      {version > 0 ? t('progress.earlierVersion') : t('progress.noVersion')}
    </Alert>
  )
}
