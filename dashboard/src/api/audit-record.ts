import type { ResponseOf } from './operations.ts'

export type AuditRecord = ResponseOf<'get', '/admin/v1/audit/{id}'>
