import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { formatCount, formatDollars, formatMs } from '../../ui/format-numbers.ts'
import { errorLabel } from '../../ui/health-badge.tsx'
import { Section } from '../../ui/section.tsx'
import { FactsTable } from './facts-table.tsx'
import { costOf, gatewayMs, tokensOf } from './record-figures.ts'

type Attempt = AuditRecord['attempts'][number]

const KINDS = ['prompt_tokens', 'cache_read_tokens', 'cache_write_tokens', 'completion_tokens', 'reasoning_tokens'] as const

/** Tokens, cost and latency of a request, and each try of a provider. */
export function AttemptsSection({ record }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const { attempts, charge, duration_ms } = record
  const resultOf = ({ outcome }: Attempt) =>
    outcome === 'ok' || outcome === 'stubbed' ? t(`record.usage.${outcome}`) : errorLabel(outcome)
  const unitsOf = (attempt: Attempt) =>
    KINDS.filter((kind) => attempt[kind] !== undefined)
      .map((kind) => t(`record.usage.kinds.${kind}`, { number: formatCount(attempt[kind] ?? 0) }))
      .join(', ')
  const charged = charge && { tokens: formatCount(charge.tokens), cost: formatDollars(charge.cost) }
  return (
    <Section title={t('record.usage.title')}>
      <DescriptionList
        items={[
          [t('record.usage.tokens'), formatCount(tokensOf(record))],
          [t('record.usage.cost'), formatDollars(costOf(record))],
          [t('record.usage.total'), formatMs(duration_ms)],
          [t('record.usage.gateway'), formatMs(gatewayMs(record))],
          [
            t('record.usage.charge'),
            charged && (charge?.estimated ? t('record.usage.chargedEstimate', charged) : t('record.usage.charged', charged)),
          ],
        ]}
      />
      {attempts.length > 0 && (
        <FactsTable
          label={t('record.usage.attempts')}
          headers={(['provider', 'model', 'result', 'status', 'units', 'cost', 'latency'] as const).map((name) =>
            t(`record.usage.${name}`),
          )}
          numbers={(['status', 'cost', 'latency'] as const).map((name) => t(`record.usage.${name}`))}
          rows={attempts.map((attempt) => [
            attempt.provider,
            <Text key="model" span inherit style={{ whiteSpace: 'nowrap' }}>
              {attempt.model}
            </Text>,
            resultOf(attempt),
            attempt.status || '–',
            unitsOf(attempt),
            formatDollars(attempt.cost ?? null),
            formatMs(attempt.ms),
          ])}
        />
      )}
    </Section>
  )
}
