import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Classification } from '../../ui/classification.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { HealthBadge } from '../../ui/health-badge.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { AddProviderButton } from './add-provider-button.tsx'
import type { Provider } from './provider.ts'
import { TestButton } from './test-button.tsx'

const EVERY_MS = 10_000

/** Providers of models: where they are, whether they answer, how much of the traffic they get. */
export function Page() {
  const list = useList('/admin/v1/providers', {}, { every: EVERY_MS })
  const changes = useScopes().may('providers:write')
  const columns: Column<Provider>[] = [
    { header: 'Id', cell: ({ id }) => <Link to={`/providers/${id}`}>{id}</Link> },
    { header: 'Health', cell: ({ enabled, health }) => <HealthBadge enabled={enabled} health={health} /> },
    { header: 'Address', cell: ({ base_url, kind }) => base_url ?? kind, from: 'md' },
    { header: 'Region', cell: ({ region }) => region ?? '–', from: 'lg' },
    { header: 'Sees at most', cell: ({ max_classification }) => <Classification level={max_classification} />, from: 'sm' },
    { header: 'Weight', cell: ({ weight }) => weight, from: 'xs', align: 'right' },
    { header: 'Under way', cell: ({ health }) => health.active, from: 'lg', align: 'right' },
    ...(changes
      ? [
          {
            header: 'Test',
            hiddenHeader: true as const,
            cell: (one: Provider) => <TestButton provider={one} />,
            align: 'right' as const,
          },
        ]
      : []),
  ]
  return (
    <Frame
      title="Providers"
      description="Who answers. A request goes to one that has its model and may see its content, by weight, and on to the next when it fails."
      actions={changes && <AddProviderButton />}
    >
      <DataTable
        label="Providers"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No providers yet">
            {changes ? 'Add one: any server that speaks the OpenAI chat API will do.' : 'Nobody has added one.'}
          </EmptyState>
        }
      />
    </Frame>
  )
}
