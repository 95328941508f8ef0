import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { Time } from '../../ui/time.tsx'
import type { Application } from './applications-page.tsx'

const REFRESH = ['/admin/v1/applications', '/admin/v1/applications/{id}', '/admin/v1/applications/{id}/keys'] as const

interface ArchiveProps {
  readonly application: Application
}

/** Archives an Application in use. */
export function ArchiveButton({ application: { id, name } }: ArchiveProps) {
  const { t } = useTranslation('applications')
  const archive = useChange('post', '/admin/v1/applications/{id}/archive', {
    refresh: REFRESH,
    onDone: () => notifySuccess(t('archive.done', { name })),
  })
  return (
    <ConfirmButton
      size="sm"
      question={t('archive.question', { name })}
      consequence={t('archive.consequence')}
      onConfirm={() => archive.mutateAsync({ params: { path: { id } } })}
    >
      {t('archive.action')}
    </ConfirmButton>
  )
}

/** Says that an Application is archived, and restores it. */
export function ArchivedNotice({ application: { id, name, archived_at } }: ArchiveProps) {
  const { t } = useTranslation('applications')
  const canEdit = useScopes().hasScope('applications:write')
  const restore = useChange('post', '/admin/v1/applications/{id}/restore', {
    refresh: REFRESH,
    onDone: () => notifySuccess(t('archive.restored', { name })),
  })
  return (
    <Alert color="yellow" variant="outline" mb="md">
      <Group justify="space-between">
        <Stack gap={0}>
          <Text size="sm" component="div">
            {t('archive.since')} <Time at={archived_at} />
          </Text>
          <Text size="sm">{t('archive.notice')}</Text>
        </Stack>
        {canEdit && (
          <Button
            size="xs"
            variant="default"
            loading={restore.isPending}
            onClick={() => restore.mutate({ params: { path: { id } } })}
          >
            {t('archive.restore')}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
