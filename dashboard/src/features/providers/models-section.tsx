import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useChange, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { unpricedOf } from '../../api/unpriced-models.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Section } from '../../ui/section.tsx'
import { UnpricedNote } from '../../ui/unpriced-note.tsx'
import { ModelButton } from './model-button.tsx'
import { usePriceColumns } from './price-columns.tsx'
import { hasResponsesApi, type Model, type Provider } from './provider.ts'

export function ModelsSection({ provider: { id: providerId, kind } }: { readonly provider: Provider }) {
  const { t } = useTranslation('providers')
  const hasApis = hasResponsesApi(kind)
  const list = useList('/admin/v1/providers/{id}/models', { params: { path: { id: providerId } } })
  const canEdit = useScopes().hasScope('providers:write')
  const priceColumns = usePriceColumns('xs')
  const columns: Column<Model>[] = [
    { header: t('models.model'), cell: ({ id }) => id },
    { header: t('models.upstream'), cell: ({ upstream_name }) => upstream_name ?? t('models.same'), from: 'md' },
    ...(hasApis ? [{ header: t('models.api'), cell: ({ api }: Model) => t(`apis.${api}`), from: 'lg' } as const] : []),
    ...priceColumns,
    ...(canEdit ? [actionsColumn((model: Model) => <Actions model={model} hasApis={hasApis} />)] : []),
  ]
  return (
    <Section title={t('models.title')} actions={canEdit && <ModelButton providerId={providerId} hasApis={hasApis} />}>
      <Text size="sm" c="dimmed">
        {t('prices.fromList')}
      </Text>
      <UnpricedNote models={unpricedOf(list.items ?? [])}>{t('models.unpricedHint')}</UnpricedNote>
      <DataTable
        label={t('models.title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={t('models.emptyTitle')}>
            {canEdit ? t('models.emptyOfProvider') : t('models.emptyReadOnly')}
          </EmptyState>
        }
      />
    </Section>
  )
}

function Actions({ model, hasApis }: { readonly model: Model; readonly hasApis: boolean }) {
  const { t } = useTranslation('providers')
  const { id, provider_id } = model
  const remove = useChange('delete', '/admin/v1/providers/{id}/models/{model}', {
    refresh: ['/admin/v1/providers', '/admin/v1/models'],
  })
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <ModelButton providerId={provider_id} model={model} hasApis={hasApis} />
      <ConfirmButton
        aria-label={t('models.removeOf', { model: id })}
        question={t('models.removeQuestion', { model: id })}
        consequence={t('models.removeConsequence')}
        onConfirm={() => remove.mutateAsync({ params: { path: { id: provider_id, model: id } } })}
      >
        {t('models.remove')}
      </ConfirmButton>
    </Group>
  )
}
