import { Alert, Button, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { findingLabel } from '../../ui/finding-labels.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { DOCUMENT_REFRESH, type Document } from './document.ts'

interface FlagsAlertProps {
  readonly document: Document
  readonly canClear: boolean
}

/** Shown until an operator has reviewed possible instructions for models in the document. */
export function FlagsAlert({ document, canClear }: FlagsAlertProps) {
  const { t } = useTranslation('knowledge')
  const clear = useChange('post', '/admin/v1/documents/{id}/clear-flags', { refresh: DOCUMENT_REFRESH })
  const findings = Object.entries(document.flags ?? {}).map(([type, count]) =>
    t('review.finding', { type: findingLabel(type), number: count }),
  )
  const markSafe = () =>
    clear.mutate(
      { params: { path: { id: document.id } } },
      { onSuccess: () => notifySuccess(t('review.cleared')), onError: notifyError },
    )
  return (
    <Alert color="orange" variant="light" icon={<IconAlertTriangle size={18} />} title={t('review.title')}>
      <Stack align="flex-start" gap="xs">
        {t('review.hint', { findings: findings.join(', ') })}
        {canClear && (
          <Button size="xs" variant="default" loading={clear.isPending} onClick={markSafe}>
            {t('review.clear')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
