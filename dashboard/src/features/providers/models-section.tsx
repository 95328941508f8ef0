import { Group } from '@mantine/core'
import { useChange, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { costOf } from '../../ui/numbers.ts'
import { Section } from '../../ui/section.tsx'
import { ModelButton } from './model-button.tsx'
import type { Model } from './provider.ts'

/** The provider's models and what they cost. */
export function ModelsSection({ providerId }: { readonly providerId: string }) {
  const list = useList('/admin/v1/providers/{id}/models', { params: { path: { id: providerId } } })
  const changes = useScopes().may('providers:write')
  const columns: Column<Model>[] = [
    { header: 'Model', cell: ({ id }) => id },
    { header: 'The provider calls it', cell: ({ upstream_name }) => upstream_name ?? 'the same', from: 'md' },
    { header: 'In, a million', cell: ({ input_price }) => costOf(input_price), from: 'xs', align: 'right' },
    { header: 'Out, a million', cell: ({ output_price }) => costOf(output_price), from: 'xs', align: 'right' },
    ...(changes
      ? [
          {
            header: 'Actions',
            hiddenHeader: true as const,
            cell: (model: Model) => <Actions model={model} />,
            align: 'right' as const,
          },
        ]
      : []),
  ]
  return (
    <Section title="Models" actions={changes && <ModelButton providerId={providerId} />}>
      <DataTable
        label="Models"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No models yet">
            {changes ? 'Test the provider to see what it has, or add a model by its name.' : 'Nobody has added one.'}
          </EmptyState>
        }
      />
    </Section>
  )
}

function Actions({ model }: { readonly model: Model }) {
  const { id, provider_id } = model
  const remove = useChange('delete', '/admin/v1/providers/{id}/models/{model}', {
    refresh: ['/admin/v1/providers', '/admin/v1/models'],
  })
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <ModelButton providerId={provider_id} model={model} />
      <ConfirmButton
        aria-label={`Remove ${id}`}
        question={`Remove ${id}?`}
        consequence="Requests for it go to other providers that have it, or are refused."
        onConfirm={() => remove.mutateAsync({ params: { path: { id: provider_id, model: id } } })}
      >
        Remove
      </ConfirmButton>
    </Group>
  )
}
