import type { ResponseOf } from './operations.ts'

type Counts = Readonly<Record<string, number>>

/** Fields of a record that the OpenAPI document does not describe. */
interface MoreFields {
  readonly error_code: string | null
  readonly user: { readonly id: string | null; readonly verified: boolean; readonly role: string; readonly department: string }
  readonly stages: readonly { readonly name: string; readonly outcome: string; readonly ms: number }[]
  readonly findings: Readonly<Record<string, Counts>>
  readonly decision: {
    readonly verdict: string
    readonly transforms: readonly string[]
    readonly directives: readonly string[]
    readonly rules: readonly { readonly id: string; readonly point: string; readonly verdict: string; readonly error?: string }[]
  } | null
  readonly policy_versions: readonly { readonly id: string; readonly name?: string; readonly version: number }[]
  readonly attempts: readonly Attempt[]
  readonly knowledge: readonly Hit[]
  readonly memory: readonly Hit[]
  readonly remembered: readonly { readonly id: string; readonly mode: string }[]
  readonly review: { readonly id: string; readonly state?: string } | null
  readonly dry_run: boolean
  readonly request?: { readonly carried_fields?: number }
  readonly release?: { readonly characters: number; readonly mode: string }
  readonly stored_response?: Readonly<Record<string, string>>
  readonly features: Readonly<Record<string, unknown>>
  readonly change: { readonly action: string; readonly object_id: string; readonly fields: readonly string[] } | null
}

/** Absent counts are 0. Cached tokens are part of the prompt, reasoning is part of the completion. */
interface Attempt {
  readonly provider: string
  readonly outcome: string
  readonly prompt_tokens?: number
  readonly cache_read_tokens?: number
  readonly cache_write_tokens?: number
  readonly completion_tokens?: number
  readonly reasoning_tokens?: number
}

interface Hit {
  readonly id: string
  readonly score: number
}

type MainFields = ResponseOf<'get', '/admin/v1/audit/{id}'>
export type AuditRecord = Pick<
  MainFields,
  | 'id'
  | 'application_id'
  | 'endpoint'
  | 'created_at'
  | 'duration_ms'
  | 'status'
  | 'classification'
  | 'risk_level'
  | 'integrity'
  | 'workspace_id'
> &
  MoreFields

/** Types a record of the API. */
export const recordOf = (body: object): AuditRecord => body as AuditRecord

/** The change, or the endpoint of the request. */
export const eventOf = ({ change, endpoint }: AuditRecord): string => change?.action ?? endpoint.replaceAll('_', ' ')
