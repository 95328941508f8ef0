import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Classification } from '../../ui/classification.tsx'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { HealthBadge } from '../../ui/health-badge.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { AddProviderButton } from './add-provider-button.tsx'
import { KIND_LABELS, type Provider } from './provider.ts'
import { TestButton } from './test-button.tsx'

const REFETCH_MS = 10_000

/** Servers with the OpenAI chat API differ by their address. */
const serviceOf = ({ kind, base_url }: Provider) => (kind === 'openai' ? base_url : KIND_LABELS[kind])

/** Providers with health, limits and weight. */
export function Page() {
  const list = useList('/admin/v1/providers', {}, { refetchInterval: REFETCH_MS })
  const canEdit = useScopes().hasScope('providers:write')
  const columns: Column<Provider>[] = [
    { header: 'ID', cell: ({ id }) => <Link to={`/providers/${id}`}>{id}</Link> },
    { header: 'Health', cell: ({ enabled, health }) => <HealthBadge enabled={enabled} health={health} /> },
    { header: 'Service', cell: serviceOf, from: 'md' },
    { header: 'Region', cell: ({ region }) => region ?? '–', from: 'lg' },
    {
      header: 'Maximum classification',
      cell: ({ max_classification }) => <Classification level={max_classification} />,
      from: 'sm',
    },
    { header: 'Weight', cell: ({ weight }) => weight, from: 'xs', align: 'right' },
    { header: 'In flight', cell: ({ health }) => health.active, from: 'lg', align: 'right' },
    ...(canEdit ? [actionsColumn((provider: Provider) => <TestButton provider={provider} />, 'Test')] : []),
  ]
  return (
    <Frame
      title="Providers"
      description="Upstream services that run models. Requests are distributed by weight and fail over to the next provider."
      actions={canEdit && <AddProviderButton />}
    >
      <DataTable
        label="Providers"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No providers yet">
            {canEdit ? 'Add a provider of one of the supported types.' : 'Ask an owner to add a provider.'}
          </EmptyState>
        }
      />
    </Frame>
  )
}
