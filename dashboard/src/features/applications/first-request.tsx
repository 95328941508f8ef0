import { Alert, Group, Loader, Text } from '@mantine/core'
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import type { ApiKey } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { Link } from '../../ui/link.tsx'
import { Outcome, outcomeOf, reasonOf } from '../../ui/outcome.tsx'

const POLL_MS = 2_000

interface FirstRequestProps {
  /** Undefined: it is loading. */
  readonly apiKey: ApiKey | undefined
}

/** Waits for the first request with a key, and then shows the result of the latest record of its Application. */
export function FirstRequest({ apiKey: key }: FirstRequestProps) {
  const { t } = useTranslation('applications')
  if (!key?.last_used_at) {
    return (
      <Alert color="gray" variant="light" icon={<Loader size={18} />} title={t('created.waiting')}>
        {t('created.waitingHint')}
      </Alert>
    )
  }
  return <Received applicationId={key.application_id} from={key.created_at} />
}

/** The record is written when the response is complete. A list of models has none, and neither has a body that is not valid. */
function Received({ applicationId, from }: { readonly applicationId: string; readonly from: string }) {
  const { t } = useTranslation('applications')
  const enabled = useScopes().hasScope('audit:read')
  const query = { application_id: applicationId, from, limit: 1 }
  const { items } = useList('/admin/v1/audit', { params: { query } }, { enabled, refetchInterval: POLL_MS })
  const [record] = items ?? []
  const Icon = record?.error_code ? IconAlertCircle : IconCircleCheck
  const color = record?.error_code ? (outcomeOf(record) === 'failed' ? 'red' : 'yellow') : record ? 'green' : 'gray'
  const reason = record && reasonOf(record)
  return (
    <Alert color={color} variant="light" icon={<Icon size={18} />} role="status">
      <Group justify="space-between">
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {record && reason ? t('created.receivedError', { status: record.status, reason }) : t('created.received')}
          </Text>
          {record && <Outcome of={record} />}
        </Group>
        {record && (
          <Link to={`/audit/${record.id}`} size="sm">
            {t('created.openRecord')}
          </Link>
        )}
      </Group>
    </Alert>
  )
}
