import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { costOf } from '../../ui/numbers.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { ModelButton } from './model-button.tsx'
import type { Model } from './provider.ts'

/** The models of all providers: the same name at two of them is one model for who asks. */
export function Page() {
  const list = useList('/admin/v1/models')
  const { may } = useScopes()
  const columns: Column<Model>[] = [
    { header: 'Model', cell: ({ id }) => id },
    { header: 'Provider', cell: ({ provider_id }) => <Link to={`/providers/${provider_id}`}>{provider_id}</Link> },
    { header: 'In, a million', cell: ({ input_price }) => costOf(input_price), from: 'sm', align: 'right' },
    { header: 'Out, a million', cell: ({ output_price }) => costOf(output_price), from: 'sm', align: 'right' },
    {
      header: 'Actions',
      hiddenHeader: true,
      align: 'right',
      cell: (model) =>
        may('providers:write') ? (
          <ModelButton providerId={model.provider_id} model={model} />
        ) : (
          may('playground:use') && (
            <LinkButton to="/playground" search={{ model: model.id }} size="xs" variant="default" aria-label={`Try ${model.id}`}>
              Try it
            </LinkButton>
          )
        ),
    },
  ]
  return (
    <Frame title="Models" description="What Applications may ask for, who has it, and what a million tokens of it cost.">
      <DataTable
        label="Models"
        list={list}
        columns={columns}
        keyOf={({ provider_id, id }) => `${provider_id}/${id}`}
        empty={
          <EmptyState title="No models yet" action={<LinkButton to="/providers">To the providers</LinkButton>}>
            Models belong to providers: add them there.
          </EmptyState>
        }
      />
    </Frame>
  )
}
