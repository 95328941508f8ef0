import type { Selectable } from 'kysely'
import { toId } from '../../platform/lib/id.ts'
import type { ApiKey } from './api-key.ts'
import type { ApiKeyTable } from './tables.ts'

export const keyOf = (row: Selectable<ApiKeyTable>): ApiKey => ({
  id: toId('key', row.id),
  applicationId: toId('app', row.application_id),
  name: row.name,
  hint: row.hint,
  issuedBy: row.issued_by,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  replacedBy: row.replaced_by === null ? null : toId('key', row.replaced_by),
})
