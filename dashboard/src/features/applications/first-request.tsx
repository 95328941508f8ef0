import { Alert, Group, Loader, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ResponseOf } from '../../api/operations.ts'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Link } from '../../ui/link.tsx'

const POLL_MS = 2_000

interface FirstRequestProps {
  /** Undefined: it is loading. */
  readonly apiKey: ResponseOf<'get', '/admin/v1/keys/{id}'> | undefined
}

/** Waits for the first request with a key, and then links to the latest record of its Application. */
export function FirstRequest({ apiKey: key }: FirstRequestProps) {
  const { t } = useTranslation('applications')
  if (!key?.last_used_at) {
    return (
      <Alert color="gray" variant="light" icon={<Loader size={18} />} title={t('created.waiting')}>
        {t('created.waitingHint')}
      </Alert>
    )
  }
  return (
    <Alert color="green" variant="light" icon={<IconCircleCheck size={18} />} role="status">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {t('created.received')}
        </Text>
        <RecordLink applicationId={key.application_id} from={key.created_at} />
      </Group>
    </Alert>
  )
}

/** The record is written when the response is complete. A list of models has none. */
function RecordLink({ applicationId, from }: { readonly applicationId: string; readonly from: string }) {
  const { t } = useTranslation('applications')
  const enabled = useScopes().hasScope('audit:read')
  const query = { application_id: applicationId, from, limit: 1 }
  const { items } = useList('/admin/v1/audit', { params: { query } }, { enabled, refetchInterval: POLL_MS })
  const [record] = items ?? []
  if (!record) return null
  return (
    <Link to={`/audit/${record.id}`} size="sm">
      {t('created.openRecord')}
    </Link>
  )
}
