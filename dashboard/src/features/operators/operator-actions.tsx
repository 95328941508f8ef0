import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { EditButton } from './edit-button.tsx'
import type { Operator } from './operator.ts'

interface OperatorActionsProps {
  readonly operator: Operator
  readonly onLink: (url: string) => void
}

export function OperatorActions({ operator, onLink }: OperatorActionsProps) {
  const { t } = useTranslation('operators')
  const { id, name, state } = operator
  const isActive = state === 'active'
  const refresh = ['/admin/v1/operators']
  const invite = useChange('post', '/admin/v1/operators/{id}/invitation', { refresh, onDone: ({ url }) => onLink(url) })
  const remove = useChange('delete', '/admin/v1/operators/{id}', { refresh })
  const params = { path: { id } }
  return (
    <Group gap={4} justify="flex-end">
      <EditButton operator={operator} />
      <ConfirmButton
        aria-label={isActive ? t('link.resetFor', { name }) : t('link.createFor', { name })}
        destructive={false}
        question={isActive ? t('link.resetQuestion', { name }) : t('link.question', { name })}
        consequence={isActive ? t('link.resets') : t('link.replaces')}
        onConfirm={() => invite.mutateAsync({ params })}
      >
        {isActive ? t('link.reset') : t('link.create')}
      </ConfirmButton>
      <ConfirmButton
        aria-label={t('remove.labelFor', { name })}
        color="red"
        question={t('remove.question', { name })}
        consequence={t('remove.consequence')}
        onConfirm={() => remove.mutateAsync({ params })}
      >
        {t('remove.label')}
      </ConfirmButton>
    </Group>
  )
}
