import { Group } from '@mantine/core'
import { useChange, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Section } from '../../ui/section.tsx'
import { ModelButton } from './model-button.tsx'
import { priceColumns } from './price-columns.ts'
import { hasResponsesApi, MODEL_API_LABELS, type Model, type Provider } from './provider.ts'

/** Models of a provider with their prices. */
export function ModelsSection({ provider: { id: providerId, kind } }: { readonly provider: Provider }) {
  const hasApis = hasResponsesApi(kind)
  const list = useList('/admin/v1/providers/{id}/models', { params: { path: { id: providerId } } })
  const canEdit = useScopes().hasScope('providers:write')
  const columns: Column<Model>[] = [
    { header: 'Model', cell: ({ id }) => id },
    { header: 'Upstream name', cell: ({ upstream_name }) => upstream_name ?? 'Same', from: 'md' },
    ...(hasApis ? [apiColumn] : []),
    ...priceColumns('xs'),
    ...(canEdit ? [actionsColumn((model: Model) => <Actions model={model} hasApis={hasApis} />)] : []),
  ]
  return (
    <Section title="Models" actions={canEdit && <ModelButton providerId={providerId} hasApis={hasApis} />}>
      <DataTable
        label="Models"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No models yet">
            {canEdit ? 'Test the provider to list its models, or add a model by name.' : 'Ask an owner to add models.'}
          </EmptyState>
        }
      />
    </Section>
  )
}

const apiColumn: Column<Model> = { header: 'API', cell: ({ api }) => MODEL_API_LABELS[api], from: 'lg' }

function Actions({ model, hasApis }: { readonly model: Model; readonly hasApis: boolean }) {
  const { id, provider_id } = model
  const remove = useChange('delete', '/admin/v1/providers/{id}/models/{model}', {
    refresh: ['/admin/v1/providers', '/admin/v1/models'],
  })
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <ModelButton providerId={provider_id} model={model} hasApis={hasApis} />
      <ConfirmButton
        aria-label={`Remove ${id}`}
        question={`Remove ${id}?`}
        consequence="Requests for this model go to its other providers. Without one, they are refused."
        onConfirm={() => remove.mutateAsync({ params: { path: { id: provider_id, model: id } } })}
      >
        Remove
      </ConfirmButton>
    </Group>
  )
}
