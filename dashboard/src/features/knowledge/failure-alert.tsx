import { Alert, Button, Stack } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { notifyError } from '../../ui/notify.ts'
import { Time } from '../../ui/time.tsx'
import { DOCUMENT_REFRESH } from './document-edit-button.tsx'
import type { Document } from './documents-section.tsx'

interface FailureAlertProps {
  readonly document: Document
  readonly failure: NonNullable<Document['failure']>
  readonly canRetry: boolean
}

/** Why the newest upload of the document failed, and whether searches still find an earlier version. */
export function FailureAlert({ document: { id, version }, failure, canRetry }: FailureAlertProps) {
  const { t } = useTranslation('knowledge')
  const retry = useChange('post', '/admin/v1/documents/{id}/retry', { refresh: DOCUMENT_REFRESH })
  return (
    <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} title={t('failure.title')}>
      <Stack align="flex-start" gap="xs">
        <span>
          {failure.message} (<Time at={failure.at} />)
        </span>
        {version > 0 ? t('failure.earlierVersion') : t('failure.noVersion')}
        {canRetry && (
          <Button
            size="xs"
            variant="default"
            loading={retry.isPending}
            onClick={() => retry.mutate({ params: { path: { id } } }, { onError: notifyError })}
          >
            {t('failure.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
