import { Box, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Classification } from '../../ui/classification.tsx'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { HealthBadge } from '../../ui/health-badge.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { AddProviderButton } from './add-provider-button.tsx'
import { type Provider, serviceOf } from './provider.ts'
import { ProviderMark } from './provider-mark.tsx'
import { TestButton } from './test-button.tsx'
import { useServiceName } from './use-service-name.ts'

const REFETCH_MS = 10_000

/** Providers with health, limits and weight. */
export function Page() {
  const { t } = useTranslation('providers')
  const list = useList('/admin/v1/providers', {}, { refetchInterval: REFETCH_MS })
  const serviceName = useServiceName()
  const canEdit = useScopes().hasScope('providers:write')
  const columns: Column<Provider>[] = [
    {
      header: t('columns.provider'),
      cell: (provider) => <Name provider={provider} service={serviceName(provider)} />,
    },
    {
      header: t('columns.health'),
      cell: ({ enabled, health }) => <HealthBadge enabled={enabled} health={health} />,
    },
    { header: t('columns.region'), cell: ({ region }) => region ?? '–', from: 'md' },
    {
      header: t('columns.maxClassification'),
      cell: ({ max_classification }) => <Classification level={max_classification} />,
      from: 'sm',
    },
    { header: t('columns.weight'), cell: ({ weight }) => weight, from: 'sm', align: 'right' },
    { header: t('columns.inFlight'), cell: ({ health }) => health.active, from: 'lg', align: 'right' },
    ...(canEdit ? [{ ...actionsColumn(TestAction, t('test.label')), from: 'sm' } as const] : []),
  ]
  return (
    <Frame title={t('title')} description={t('description')} actions={canEdit && <AddProviderButton />}>
      <DataTable
        label={t('title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={t('empty.title')} action={canEdit && <AddProviderButton />}>
            {canEdit ? t('empty.hint') : t('empty.readOnly')}
          </EmptyState>
        }
      />
    </Frame>
  )
}

const TestAction = (provider: Provider) => <TestButton provider={provider} variant="subtle" size="compact-sm" />

function Name({ provider, service }: { readonly provider: Provider; readonly service: string }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <ProviderMark service={serviceOf(provider)} />
      <Box>
        <Link to={`/providers/${provider.id}`}>{provider.id}</Link>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {service}
        </Text>
      </Box>
    </Group>
  )
}
