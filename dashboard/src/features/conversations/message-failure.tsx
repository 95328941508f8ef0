import { Alert, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { Link } from '../../ui/link.tsx'
import { reasonOf } from '../../ui/outcome.tsx'
import { useMessageRecord } from './use-message-record.ts'

/** The place where an operator can resolve a failure. Other failures are explained by their record. */
const REMEDIES = {
  NO_ELIGIBLE_PROVIDER: 'application',
  RATE_LIMITED: 'application',
  PROVIDER_ERROR: 'providers',
  PROVIDER_TIMEOUT: 'providers',
  BUDGET_EXCEEDED: 'budgets',
} as const

const PATHS = {
  application: ({ application_id }: AuditRecord) => `/applications/${application_id}`,
  providers: () => '/providers',
  budgets: () => '/budgets',
} as const

/** Why an assistant did not answer, for operators who may read the audit log: its message tells the user only that it failed. */
export function MessageFailure({ auditId }: { readonly auditId: string }) {
  const { t } = useTranslation('conversations')
  const record = useMessageRecord(auditId)
  const code = record?.error_code
  // The notice of a pending hold is no failure.
  if (!record || !code || code === 'POLICY_REVIEW_PENDING') return null
  const remedy = Object.entries(REMEDIES).find(([name]) => name === code)?.[1]
  return (
    <Alert color="red" mt="xs" p="xs" title={t('failure.title', { reason: reasonOf(record) })}>
      {remedy && <Text size="sm">{t(`failure.remedies.${remedy}`)}</Text>}
      <Group gap="md">
        <code>{code}</code>
        {remedy && <Link to={PATHS[remedy](record)}>{t(`failure.open.${remedy}`)}</Link>}
        <Link to={`/audit/${record.id}`}>{t('composer.openRecord')}</Link>
      </Group>
    </Alert>
  )
}
