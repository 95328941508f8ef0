import { useRead } from '../../api/queries.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'

/** The record of a message; for an assistant's message, the record of its chat request, or of the answer that was denied. */
export function useMessageRecord(auditId: string | undefined): AuditRecord | undefined {
  const record = useRecord(auditId)
  const exchange = record?.features['message.exchange']
  const exchangeId = typeof exchange === 'string' && exchange !== '' ? exchange : undefined
  const request = useRecord(exchangeId)
  return exchangeId === undefined ? record : request
}

function useRecord(id: string | undefined): AuditRecord | undefined {
  const canRead = useScopes().hasScope('audit:read')
  const params = { path: { id: id ?? '' } }
  const options = { enabled: canRead && id !== undefined, staleTime: Number.POSITIVE_INFINITY }
  return useRead('/admin/v1/audit/{id}', { params }, options).data
}
