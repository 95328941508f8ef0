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

/** Versions of the Workspace's policy set, newest first. */
export function Page() {
  const list = useList('/admin/v1/policy-sets')
  const self = useSession().data?.operator.id
  const canWrite = useScopes().hasScope('policies:write')
  const columns: Column<PolicySet>[] = [
    { header: 'Version', cell: ({ id, name, version }) => <Link to={`/policies/${id}`}>{`${name} v${version}`}</Link> },
    { header: 'Status', cell: ({ active, declared }) => active && <ActiveBadge differs={declared === false} /> },
    { header: 'Published', cell: ({ created_at }) => <Time at={created_at} /> },
    { header: 'Published by', cell: ({ published_by }) => (published_by === self ? 'You' : published_by), from: 'md' },
    { header: 'SHA-256', cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 12)}</code>, from: 'lg' },
  ]
  return (
    <Frame
      title="Policies"
      description="Rules that allow, change, hold or deny requests. Each publication creates an immutable version."
      actions={<LinkButton to="/policies/draft">{canWrite ? 'Create draft' : 'Open draft'}</LinkButton>}
    >
      <DataTable
        label="Versions"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No policies yet">
            Without policies, all requests are allowed. Create a draft and publish it.
          </EmptyState>
        }
      />
    </Frame>
  )
}

/** `differs`: the active version is not the one that the configuration file declares. */
export const ActiveBadge = ({ differs = false }: { differs?: boolean }) => (
  <>
    <Badge color="green">Active</Badge>
    {differs && (
      <Badge color="yellow" title="Run gatehouse apply to activate the declared policy set.">
        Differs from file
      </Badge>
    )}
  </>
)
