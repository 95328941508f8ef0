import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { Section } from '../../ui/section.tsx'
import { FactsTable } from './facts-table.tsx'

interface ValuesSectionProps {
  readonly title: string
  readonly hint: string
  readonly values: Readonly<Record<string, unknown>>
}

/** Names and values as they are in the record. */
export function ValuesSection({ title, hint, values }: ValuesSectionProps) {
  const { t } = useTranslation('audit')
  const entries = Object.entries(values)
  if (entries.length === 0) return null
  return (
    <Section title={title}>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      <FactsTable
        label={title}
        headers={[t('record.features.name'), t('record.features.value')]}
        rows={entries.map(([name, value]) => [<code key="name">{name}</code>, textOf(value)])}
      />
    </Section>
  )
}

const textOf = (value: unknown): string => {
  if (value === '' || value === null) return '–'
  if (Array.isArray(value)) return value.join(', ') || '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Fields that the page shows. */
const KNOWN: Readonly<Record<keyof AuditRecord, true>> & Readonly<Record<string, true>> = {
  id: true,
  object: true,
  workspace_id: true,
  application_id: true,
  endpoint: true,
  created_at: true,
  duration_ms: true,
  status: true,
  error_code: true,
  user: true,
  request: true,
  response: true,
  stages: true,
  findings: true,
  classification: true,
  risk_level: true,
  decision: true,
  playground: true,
  policy_versions: true,
  attempts: true,
  charge: true,
  key_id: true,
  knowledge: true,
  memory: true,
  release: true,
  remembered: true,
  review: true,
  search_services: true,
  stored_response: true,
  dry_run: true,
  features: true,
  change: true,
  integrity: true,
}

/** Fields that another version of the server recorded. */
export const otherFields = (record: AuditRecord): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !Object.hasOwn(KNOWN, name)))
