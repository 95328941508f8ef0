import { Badge } from '@mantine/core'
import type { ItemOf } from '../../api/operations.ts'
import { useList } from '../../api/queries.ts'
import { useScopes, useSession } from '../../api/session.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'

type PolicySet = ItemOf<'/admin/v1/policy-sets'>

/** The versions of the Workspace's policies, newest first. */
export function Page() {
  const list = useList('/admin/v1/policy-sets')
  const self = useSession().data?.operator.id
  const writes = useScopes().may('policies:write')
  const columns: Column<PolicySet>[] = [
    { header: 'Version', cell: ({ id, name, version }) => <Link to={`/policies/${id}`}>{`${name} v${version}`}</Link> },
    { header: 'State', cell: ({ active, declared }) => active && <InForce differs={declared === false} /> },
    { header: 'Published', cell: ({ created_at }) => <Time at={created_at} /> },
    { header: 'By', cell: ({ published_by }) => (published_by === self ? 'you' : published_by), from: 'md' },
    { header: 'SHA-256', cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 12)}</code>, from: 'lg' },
  ]
  return (
    <Frame
      title="Policies"
      description="What is allowed, changed, held and denied. One document; every publication is a version that stays."
      actions={<LinkButton to="/policies/draft">{writes ? 'Write a draft' : 'Try a draft'}</LinkButton>}
    >
      <DataTable
        label="Versions"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No policies yet">Without any, everything is allowed. Write a draft and publish it.</EmptyState>}
      />
    </Frame>
  )
}

/** `differs`: from the policy set that the configuration file declares. */
export const InForce = ({ differs = false }: { differs?: boolean }) => (
  <>
    <Badge color="green" variant="light" tt="none">
      in force
    </Badge>
    {differs && (
      <Badge color="yellow" variant="light" tt="none" title="gatehouse apply puts the declared policy set in force.">
        differs from the declared file
      </Badge>
    )}
  </>
)
