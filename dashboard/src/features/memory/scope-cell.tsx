import { Box, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { useSession } from '../../api/session.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Link } from '../../ui/link.tsx'
import type { Memory } from './memory.ts'

/** Kind and name of a memory's scope. Ids of objects with a name are in the tooltip. */
export function ScopeCell({ scope, scope_id, user_id }: Memory) {
  const { t } = useTranslation('memory')
  return (
    <Box>
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        <ScopeName scope={scope} id={scope_id} />
      </Text>
      <Text size="xs" c="dimmed">
        {scope === 'session' && user_id ? t('sessionOf', { user: user_id }) : t(`scopes.${scope}`)}
      </Text>
    </Box>
  )
}

function ScopeName({ scope, id }: { readonly scope: Memory['scope']; readonly id: string }) {
  const { t } = useTranslation('memory')
  const { nameOf } = useApplicationNames()
  const workspaces = useSession().data?.workspaces ?? []
  if (scope === 'application') {
    return (
      <Link to={`/applications/${id}`}>
        <span title={id}>{nameOf(id)}</span>
      </Link>
    )
  }
  if (scope === 'workspace') return <span title={id}>{workspaces.find((workspace) => workspace.id === id)?.name ?? id}</span>
  if (scope !== 'session') return id
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="sm" span truncate maw={140} title={id}>
        {id}
      </Text>
      <CopyButton value={id} label={t('sessionId')} />
    </Group>
  )
}
