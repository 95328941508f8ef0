import { Alert, Stack } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Time } from '../../ui/time.tsx'
import type { Document } from './document.ts'
import { RetryButton } from './retry-button.tsx'

interface FailureAlertProps {
  readonly document: Document
  readonly failure: NonNullable<Document['failure']>
  readonly canRetry: boolean
}

/** Why the newest upload of the document failed, and whether searches still find an earlier version. */
export function FailureAlert({ document: { id, version }, failure, canRetry }: FailureAlertProps) {
  const { t } = useTranslation('knowledge')
  return (
    <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} title={t('failure.title')}>
      <Stack align="flex-start" gap="xs">
        <span>
          {failure.message} (<Time at={failure.at} />)
        </span>
        {version > 0 ? t('failure.earlierVersion') : t('failure.noVersion')}
        {canRetry && <RetryButton id={id} />}
      </Stack>
    </Alert>
  )
}
