import { VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { Link } from '../../ui/link.tsx'
import { Outcome, outcomeOf } from '../../ui/outcome.tsx'

interface MessageVerdictProps {
  readonly auditId: string
  /** Show the result even if the message was allowed without changes. */
  readonly always: boolean
}

/** Result of a message with a link to the record. For an assistant's message, the record of its chat request. */
export function MessageVerdict({ auditId, always }: MessageVerdictProps) {
  const { t } = useTranslation('conversations')
  const canRead = useScopes().hasScope('audit:read')
  const record = useRecord(auditId, canRead)
  const requestField = record?.features['message.exchange']
  const requestId = typeof requestField === 'string' && requestField !== '' ? requestField : undefined
  const request = useRecord(requestId, canRead)
  const displayed = request ?? (requestId === undefined ? record : undefined)
  if (!displayed?.decision) return null
  const { transforms } = displayed.decision
  const outcome = outcomeOf(displayed)
  if (!always && outcome === 'allowed') return null
  return (
    <Link to={`/audit/${request ? requestId : auditId}`} size="xs">
      <VisuallyHidden>{t('message.decision')} </VisuallyHidden>
      <Outcome of={displayed} />
      {outcome === 'escalated' && transforms.length > 0 && <> {t('message.changed')}</>}
    </Link>
  )
}

function useRecord(id: string | undefined, enabled: boolean): AuditRecord | undefined {
  const params = { path: { id: id ?? '' } }
  const { data } = useRead(
    '/admin/v1/audit/{id}',
    { params },
    { enabled: enabled && id !== undefined, staleTime: Number.POSITIVE_INFINITY },
  )
  return data && data
}
