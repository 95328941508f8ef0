import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { pageOfObject } from '../../routing/object-pages.ts'
import { formatMs } from '../../ui/format-numbers.ts'
import { errorLabel } from '../../ui/health-badge.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { FactsTable } from './facts-table.tsx'

type ServiceCall = NonNullable<AuditRecord['search_services']>[number]

/** Calls of the embedder and the reranker, and the documents and memories whose texts were sent. */
export function ServicesSection({ record: { search_services: calls = [] } }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const resultOf = ({ outcome }: ServiceCall) =>
    t(`record.services.outcomes.${outcome}` as 'record.services.outcomes.ok', { defaultValue: errorLabel(outcome) })
  const sources = calls.flatMap((call) => call.sources ?? [])
  const columns = ['service', 'stage', 'host', 'model', 'region', 'result', 'status', 'texts', 'latency'] as const
  if (calls.length === 0) return null
  return (
    <Section title={t('record.services.title')}>
      <FactsTable
        label={t('record.services.title')}
        headers={columns.map((name) => t(`record.services.${name}`))}
        numbers={(['status', 'texts', 'latency'] as const).map((name) => t(`record.services.${name}`))}
        rows={calls.map((call) => [
          t(`record.services.names.${call.service}`),
          call.stage ?? '–',
          call.host,
          call.model,
          call.region ?? '–',
          resultOf(call),
          call.status || '–',
          call.texts,
          formatMs(call.ms),
        ])}
      />
      {sources.length > 0 && (
        <Stack gap={4}>
          <Text size="sm" fw={600}>
            {t('record.services.sources')}
          </Text>
          <FactsTable
            label={t('record.services.sources')}
            headers={(['id', 'version', 'texts'] as const).map((name) => t(`record.services.${name}`))}
            numbers={(['version', 'texts'] as const).map((name) => t(`record.services.${name}`))}
            rows={sources.map(({ id, version, texts }) => [<Source key="id" id={id} />, version ?? '–', texts])}
          />
        </Stack>
      )}
    </Section>
  )
}

function Source({ id }: { readonly id: string }) {
  const page = pageOfObject(id)
  return page ? <Link to={page.to}>{id}</Link> : <code>{id}</code>
}
