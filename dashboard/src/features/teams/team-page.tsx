import { Group, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo, usePathParam } from '../../routing/location.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { TeamBudgets } from './team-budgets.tsx'
import { TeamKeys } from './team-keys.tsx'
import { TeamSettings } from './team-settings.tsx'
import { TeamUsage } from './team-usage.tsx'
import type { Team } from './teams-page.tsx'

/** One team: limits, keys, budgets and usage. */
export function Page() {
  const { t } = useTranslation('teams')
  const id = usePathParam('id')
  const { data: team, error, refetch } = useRead('/admin/v1/teams/{id}', { params: { path: { id } } })
  const { hasScope } = useScopes()
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!team) return <PageSkeleton />
  const [canEdit, hasUsage] = [hasScope('applications:write'), hasScope('audit:read')]
  return (
    <Frame
      title={team.name}
      description={<Copyable value={id} label={t('team.id')} />}
      parent={{ to: '/teams', label: t('team.all') }}
      actions={
        <Group gap="xs">
          {hasUsage && (
            <LinkButton to="/usage" search={{ team: id, group: 'key' }} variant="default">
              {t('team.openUsage')}
            </LinkButton>
          )}
          {canEdit && <DeleteButton team={team} />}
        </Group>
      }
    >
      <Stack>
        <TeamSettings team={team} />
        <TeamKeys team={team} />
        <TeamBudgets team={team} />
        {hasUsage && <TeamUsage team={team} />}
      </Stack>
    </Frame>
  )
}

function DeleteButton({ team: { id, name } }: { readonly team: Team }) {
  const { t } = useTranslation('teams')
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/teams/{id}', {
    refresh: ['/admin/v1/teams'],
    onDone: () => {
      notifySuccess(t('delete.done', { name }))
      navigateTo('/teams')
    },
  })
  return (
    <ConfirmButton
      size="sm"
      question={t('delete.question', { name })}
      consequence={t('delete.consequence')}
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      {t('delete.action')}
    </ConfirmButton>
  )
}
