import { VisuallyHidden } from '@mantine/core'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Link } from '../../ui/link.tsx'
import { Verdict } from '../../ui/verdict.tsx'

/** Of a record, what is told beside a message. */
interface Decided {
  readonly decision?: { readonly verdict?: string; readonly transforms?: readonly string[] } | null
  readonly features?: Readonly<Record<string, unknown>>
}

interface MessageVerdictProps {
  readonly auditId: string
  /** Else only where it was more than let pass. */
  readonly always: boolean
}

/** What the policies decided on a message, and the way to the record; of an assistant's answer, on the exchange that it came from. */
export function MessageVerdict({ auditId, always }: MessageVerdictProps) {
  const mayRead = useScopes().may('audit:read')
  const record = useDecided(auditId, mayRead)
  const from = record?.features?.['message.exchange']
  const exchangeId = typeof from === 'string' && from !== '' ? from : undefined
  const exchange = useDecided(exchangeId, mayRead)
  const shown = exchange ?? (exchangeId === undefined ? record : undefined)
  if (!shown?.decision) return null
  const { verdict, transforms = [] } = shown.decision
  if (!always && verdict === 'allow' && transforms.length === 0) return null
  return (
    <Link to={`/audit/${exchange ? exchangeId : auditId}`} size="xs">
      <VisuallyHidden>Decision: </VisuallyHidden>
      <Verdict verdict={verdict} />
      {transforms.length > 0 && ' changed'}
    </Link>
  )
}

function useDecided(id: string | undefined, enabled: boolean): Decided | undefined {
  const params = { path: { id: id ?? '' } }
  return useRead(
    '/admin/v1/audit/{id}',
    { params },
    { enabled: enabled && id !== undefined, staleTime: Number.POSITIVE_INFINITY },
  ).data as Decided | undefined
}
