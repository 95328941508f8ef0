import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { Section } from '../../ui/section.tsx'
import { FactsTable } from './facts-table.tsx'
import { Hash } from './hash.tsx'

/** As the search of knowledge shows it. */
const formatScore = (score: number): string => score.toFixed(2)

type Hits = AuditRecord['knowledge']

/** The passages and memories that were used, and the memories that were captured. */
export function HitsSection({ record: { knowledge, memory, remembered } }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const hash = (value: string | undefined) => value && <Hash value={value} label={t('record.hits.hash')} />
  const rowsOf = (hits: Hits) =>
    hits.map(({ id, score, hash: value }) => [
      <code key="id">{id}</code>,
      <span key="score" title={String(score)}>
        {formatScore(score)}
      </span>,
      hash(value),
    ])
  const tables = [
    { label: t('record.hits.knowledge'), second: t('record.hits.score'), rows: rowsOf(knowledge) },
    { label: t('record.hits.memory'), second: t('record.hits.score'), rows: rowsOf(memory) },
    {
      label: t('record.hits.remembered'),
      second: t('record.hits.mode'),
      rows: remembered.map(({ id, mode, hash: value }) => [<code key="id">{id}</code>, mode, hash(value)]),
    },
  ].filter(({ rows }) => rows.length > 0)
  if (tables.length === 0) return null
  return (
    <Section title={t('record.hits.title')}>
      {tables.map(({ label, second, rows }) => (
        <Stack key={label} gap={4}>
          <Text size="sm" fw={600}>
            {label}
          </Text>
          <FactsTable label={label} headers={[t('record.hits.id'), second, t('record.hits.hash')]} rows={rows} />
        </Stack>
      ))}
    </Section>
  )
}
