import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange } from '../api/queries.ts'
import { notifyError } from '../ui/notify.ts'
import type { View } from './view-state.ts'

interface DeleteViewProps {
  readonly view: View
  readonly onDeleted: () => void
  readonly onClose: () => void
}

/** Asks before a view is deleted. */
export function DeleteView({ view, onDeleted, onClose }: DeleteViewProps) {
  const { t } = useTranslation()
  const remove = useChange('delete', '/admin/v1/views/{id}', { refresh: ['/admin/v1/views'] })
  const confirm = () =>
    remove.mutate(
      { params: { path: { id: view.id } } },
      {
        onSuccess: () => {
          onDeleted()
          onClose()
        },
        onError: notifyError,
      },
    )
  return (
    <Modal opened onClose={onClose} title={t('views.deletion.question', { name: view.name })}>
      <Stack>
        <Text size="sm">{view.shared ? t('views.deletion.shared') : t('views.deletion.private')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('views.deletion.cancel')}
          </Button>
          <Button color="red" loading={remove.isPending} onClick={confirm}>
            {t('views.delete')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
