import { Badge, Group, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { Revoked } from '../../ui/time.tsx'
import type { ApiKey, CreatedKey } from './api-key.ts'
import { EditKeyButton } from './edit-key-button.tsx'
import { RotateKeyButton } from './rotate-key-button.tsx'

const isExpired = ({ expires_at }: ApiKey): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now()

export function KeyStatus({ apiKey: key }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation('applications')
  if (key.revoked_at !== null) return <Revoked at={key.revoked_at} />
  if (isExpired(key)) return <Badge color="gray">{t('keys.status.expired')}</Badge>
  if (key.replaced_by !== null) return <Badge color="yellow">{t('keys.status.replaced')}</Badge>
  return <Badge color="green">{t('keys.status.active')}</Badge>
}

/** The name with the tags. */
export function KeyName({ apiKey: { name, tags } }: { readonly apiKey: ApiKey }) {
  if (tags.length === 0) return name
  return (
    <Stack gap={4}>
      {name}
      <Group gap={4}>
        {tags.map((tag) => (
          <Badge key={tag} variant="default" tt="none">
            {tag}
          </Badge>
        ))}
      </Group>
    </Stack>
  )
}

interface KeyActionsProps {
  readonly apiKey: ApiKey
  readonly onRotated: (key: CreatedKey) => void
}

/** Changes, rotates or revokes a valid key. */
export function KeyActions({ apiKey: key, onRotated }: KeyActionsProps) {
  const { t } = useTranslation('applications')
  const { id, name } = key
  const revoke = useChange('post', '/admin/v1/keys/{id}/revoke', {
    refresh: ['/admin/v1/applications/{id}/keys'],
    onDone: () => notifySuccess(t('keys.revoke.done', { name })),
  })
  if (key.revoked_at !== null || isExpired(key)) return null
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <EditKeyButton apiKey={key} />
      {key.replaced_by === null && <RotateKeyButton id={id} name={name} onRotated={onRotated} />}
      <ConfirmButton
        aria-label={t('keys.revoke.label', { name })}
        question={t('keys.revoke.question', { name })}
        consequence={t('keys.revoke.consequence')}
        onConfirm={() => revoke.mutateAsync({ params: { path: { id } } })}
      >
        {t('keys.revoke.action')}
      </ConfirmButton>
    </Group>
  )
}
