import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { notifyError, notifyFailure, notifySuccess } from '../../ui/notify.ts'

/** Sends a test event and shows the response of the receiver. */
export function TestButton({ id }: { readonly id: string }) {
  const { t } = useTranslation('webhooks')
  const send = useChange('post', '/admin/v1/webhooks/{id}/test', {
    refresh: [],
    onDone: ({ delivered, status, failure }) => {
      if (delivered) notifySuccess(t('test.delivered', { status }))
      else notifyFailure(t('test.failed'), failure ?? '')
    },
  })
  return (
    <Button
      size="xs"
      variant="default"
      loading={send.isPending}
      onClick={() => send.mutate({ params: { path: { id } } }, { onError: notifyError })}
    >
      {t('test.send')}
    </Button>
  )
}
