import { VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from '../../ui/link.tsx'
import { Outcome, outcomeOf } from '../../ui/outcome.tsx'
import { Verdict } from '../../ui/verdict.tsx'
import { useMessageRecord } from './use-message-record.ts'

interface MessageVerdictProps {
  readonly auditId: string
  /** Show the result even if the message was allowed without changes. */
  readonly always: boolean
}

/** Result of a message with a link to the record. For an assistant's message, the record of its chat request. */
export function MessageVerdict({ auditId, always }: MessageVerdictProps) {
  const { t } = useTranslation('conversations')
  const record = useMessageRecord(auditId)
  const outcome = record && outcomeOf(record)
  if (!record || !outcome || (!always && outcome === 'allowed')) return null
  return (
    <Link to={`/audit/${record.id}`} size="xs">
      <VisuallyHidden>{t('message.decision')} </VisuallyHidden>
      {outcome === 'escalated' ? (
        <Verdict verdict="escalate" transforms={record.decision?.transforms ?? []} />
      ) : (
        <Outcome of={record} />
      )}
    </Link>
  )
}
