import { useAll, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { ModelButton } from './model-button.tsx'
import { priceColumns } from './price-columns.ts'
import { hasResponsesApi, type Model } from './provider.ts'

/** Models of all providers. Requests can use any provider with a model of the requested name. */
export function Page() {
  const list = useList('/admin/v1/models')
  const { items: providers = [] } = useAll('/admin/v1/providers')
  const { hasScope } = useScopes()
  const hasApis = (id: string) => providers.some((provider) => provider.id === id && hasResponsesApi(provider.kind))
  const columns: Column<Model>[] = [
    { header: 'Model', cell: ({ id }) => id },
    { header: 'Provider', cell: ({ provider_id }) => <Link to={`/providers/${provider_id}`}>{provider_id}</Link> },
    ...priceColumns('sm'),
    {
      header: 'Actions',
      hiddenHeader: true,
      align: 'right',
      cell: (model) =>
        hasScope('providers:write') ? (
          <ModelButton providerId={model.provider_id} model={model} hasApis={hasApis(model.provider_id)} />
        ) : (
          hasScope('playground:use') && (
            <LinkButton
              to="/playground"
              search={{ model: model.id }}
              size="xs"
              variant="default"
              aria-label={`Open ${model.id} in the playground`}
            >
              Open playground
            </LinkButton>
          )
        ),
    },
  ]
  return (
    <Frame title="Models" description="Models that Applications can request, with their providers and prices.">
      <DataTable
        label="Models"
        list={list}
        columns={columns}
        keyOf={({ provider_id, id }) => `${provider_id}/${id}`}
        empty={
          <EmptyState title="No models yet" action={<LinkButton to="/providers">Open providers</LinkButton>}>
            Add models to a provider.
          </EmptyState>
        }
      />
    </Frame>
  )
}
