import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAll, useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { FallbacksButton } from './fallbacks-button.tsx'
import { ModelButton } from './model-button.tsx'
import { usePriceColumns } from './price-columns.tsx'
import { hasResponsesApi, type Model } from './provider.ts'

/** Models of all providers. Requests can use any provider with a model of the requested name. */
export function Page() {
  const { t } = useTranslation('providers')
  const list = useList('/admin/v1/models')
  const { items: providers = [] } = useAll('/admin/v1/providers')
  const hasApis = (id: string) => providers.some((provider) => provider.id === id && hasResponsesApi(provider.kind))
  const priceColumns = usePriceColumns('sm')
  const columns: Column<Model>[] = [
    { header: t('models.model'), cell: ({ id }) => id },
    {
      header: t('models.provider'),
      cell: ({ provider_id }) => <Link to={`/providers/${provider_id}`}>{provider_id}</Link>,
    },
    { header: t('models.upstream'), cell: ({ upstream_name }) => upstream_name ?? t('models.same'), from: 'lg' },
    { header: t('fallbacks.order'), cell: ({ fallback_order }) => fallback_order + 1, from: 'lg', align: 'right' },
    ...priceColumns,
    actionsColumn((model) => <Actions model={model} hasApis={hasApis(model.provider_id)} />),
  ]
  return (
    <Frame title={t('models.title')} description={t('models.description')}>
      <DataTable
        label={t('models.title')}
        list={list}
        columns={columns}
        keyOf={({ provider_id, id }) => `${provider_id}/${id}`}
        empty={
          <EmptyState title={t('models.emptyTitle')} action={<LinkButton to="/providers">{t('models.emptyAction')}</LinkButton>}>
            {t('models.emptyHint')}
          </EmptyState>
        }
      />
    </Frame>
  )
}

function Actions({ model, hasApis }: { readonly model: Model; readonly hasApis: boolean }) {
  const { t } = useTranslation('providers')
  const { hasScope } = useScopes()
  return (
    <Group gap={4} justify="flex-end">
      {hasScope('playground:use') && (
        <LinkButton
          to="/playground"
          search={{ model: model.id }}
          size="xs"
          variant="default"
          visibleFrom="sm"
          aria-label={t('models.playgroundOf', { model: model.id })}
        >
          {t('models.playground')}
        </LinkButton>
      )}
      {hasScope('providers:write') && <FallbacksButton model={model.id} />}
      {hasScope('providers:write') && <ModelButton providerId={model.provider_id} model={model} hasApis={hasApis} />}
    </Group>
  )
}
