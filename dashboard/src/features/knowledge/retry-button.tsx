import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { notifyError } from '../../ui/notify.ts'
import { DOCUMENT_REFRESH } from './document.ts'

interface RetryButtonProps {
  readonly id: string
  /** Names the document, where several have a button. */
  readonly name?: string
}

/** Reads the file of a failed upload again. */
export function RetryButton({ id, name }: RetryButtonProps) {
  const { t } = useTranslation('knowledge')
  const retry = useChange('post', '/admin/v1/documents/{id}/retry', { refresh: DOCUMENT_REFRESH })
  return (
    <Button
      size={name === undefined ? 'xs' : 'compact-xs'}
      variant="default"
      aria-label={name && t('upload.retryOf', { name })}
      loading={retry.isPending}
      onClick={() => retry.mutate({ params: { path: { id } } }, { onError: notifyError })}
    >
      {t('failure.retry')}
    </Button>
  )
}
