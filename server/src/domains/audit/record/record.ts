import type { ErrorCode } from '../../../errors.ts'
import type { Classification, RiskLevel } from '../../../shared/classification.ts'
import type { ProviderAttempt } from '../../../shared/completion.ts'
import type { DecidingRule, PolicyVersion, Verdict } from '../../../shared/decision.ts'
import type { FindingGroup, FindingType } from '../../../shared/finding.ts'
import type { Endpoint, ReleaseMode } from '../../../shared/principal.ts'
import type { ServiceCall } from '../../../shared/service-call.ts'
import { sumOf } from '../../../shared/usage.ts'

/** Origin of a record: a gateway endpoint, a message, or an operator's change through the admin API or the command line. */
export type AuditEndpoint = Endpoint | 'message' | 'admin'

/** A record without its position in the chain. JSON values only, and never content (GW-AUD-3). */
export interface AuditDraft {
  readonly id: string
  readonly object: 'audit_record'
  readonly workspace_id: string
  /** null: a message or an operator's change. */
  readonly application_id: string | null
  readonly endpoint: AuditEndpoint
  /** In the form of `Date.toISOString`. */
  readonly created_at: string
  readonly duration_ms: number
  readonly status: number
  readonly error_code: ErrorCode | null
  /** `id`: keyed hash of the user id; null: the request has no user. */
  readonly user: { readonly id: string | null; readonly verified: boolean; readonly role: string; readonly department: string }
  readonly request: ContentFacts
  /** null: there was no response, or it was denied before it existed. */
  readonly response: ContentFacts | null
  /** All twelve stages in order for a request; empty for an operator's change. */
  readonly stages: readonly { readonly name: string; readonly outcome: string; readonly ms: number }[]
  /** Stage → finding → count; absent findings are omitted. */
  readonly findings: Readonly<Record<string, Readonly<Partial<Record<FindingType | FindingGroup, number>>>>>
  readonly classification: Classification | null
  readonly risk_level: RiskLevel | null
  readonly decision: {
    readonly verdict: Verdict
    readonly transforms: readonly string[]
    readonly directives: readonly string[]
    readonly rules: readonly DecidingRule[]
  } | null
  /** Present for playground requests: the keyed hash of the operator's id. */
  readonly playground?: { readonly operator: string | null }
  readonly policy_versions: readonly (Omit<PolicyVersion, 'name'> & { readonly name?: string })[]
  readonly attempts: readonly ProviderAttempt[]
  /** Present if budgets count the request: what they were charged, in USD and tokens. `estimated`: a provider did not report its usage. */
  readonly charge?: { readonly cost: number; readonly estimated: boolean; readonly tokens: number }
  /** The API key that authenticated the request. */
  readonly key_id?: string
  /** Passages and memories that were returned to the client or given to the model. */
  readonly knowledge: readonly UsedHit[]
  readonly memory: readonly UsedHit[]
  /** Present if the Application lets text leave before the verdict: whether it did, and how many characters (GW-WIN-6). */
  readonly release?: { readonly characters: number; readonly mode: ReleaseMode }
  readonly remembered: readonly { readonly id: string; readonly mode: string; readonly hash: string }[]
  /** The review item that this request opened, waited for or released. */
  readonly review: { readonly id: string; readonly state?: string } | null
  /** Calls of the embedder and the reranker; absent: none. The Application does not see them, because they depend on passages that it does not see. */
  readonly search_services?: readonly ServiceCall[]
  /** Present if the request used stored responses: their ids, by what was done. */
  readonly stored_response?: Readonly<Partial<Record<'continued' | 'deleted' | 'read' | 'stored', string>>>
  readonly dry_run: boolean
  /** Values that policies read and that are not content, by their policy variables (`request.model`). */
  readonly features: Readonly<Record<string, Feature>>
  readonly change: ChangeFacts | null
}

export interface AuditRecord extends AuditDraft {
  readonly integrity: {
    /** 1, 2, 3 … without gaps, per Workspace. */
    readonly sequence: number
    /** `hash` of the previous record; 64 zeros for the first. */
    readonly prev_hash: string
    /** SHA-256 of this record's RFC 8785 form without this field. */
    readonly hash: string
  }
}

/** A text without its content: keyed hash, size in bytes and counts. */
interface ContentFacts {
  readonly hash: string | null
  readonly bytes: number
  readonly messages?: number
  readonly choices?: number
  readonly embeddings?: number
  readonly models?: number
  readonly hits?: number
}

interface UsedHit {
  readonly id: string
  /** Keyed hash of the content that was used. */
  readonly hash: string
  readonly score: number
}

export type Feature = string | number | boolean | null | readonly string[]

/** An operator's change: names of the object and its fields, never values, which might be secrets. The record of a publication has its version in `policy_versions`. */
export interface ChangeFacts {
  /** `application.update`, `key.revoke` … */
  readonly action: string
  readonly object_type: string
  readonly object_id: string
  readonly fields: readonly string[]
  /** Present for an upload that failed: the code of the failure, as the document shows it. */
  readonly failure?: string
  /** Present for a roll back: the earlier version with the same document. */
  readonly restores?: Pick<PolicyVersion, 'id' | 'version'>
}

/** `actor`: keyed hash of the operator's id; null: the server itself. */
export function createChangeDraft(of: {
  readonly id: string
  readonly workspaceId: string
  readonly at: Date
  readonly actor: string | null
  readonly change: ChangeFacts
  readonly policyVersions?: readonly PolicyVersion[] | undefined
  readonly status?: number
  readonly durationMs?: number
  readonly serviceCalls?: readonly ServiceCall[] | undefined
}): AuditDraft {
  return {
    id: of.id,
    object: 'audit_record',
    workspace_id: of.workspaceId,
    application_id: null,
    endpoint: 'admin',
    created_at: of.at.toISOString(),
    duration_ms: of.durationMs ?? 0,
    status: of.status ?? 200,
    error_code: null,
    user: { id: of.actor, verified: of.actor !== null, role: '', department: '' },
    request: { hash: null, bytes: 0 },
    response: null,
    stages: [],
    findings: {},
    classification: null,
    risk_level: null,
    decision: null,
    policy_versions: of.policyVersions ?? [],
    attempts: [],
    knowledge: [],
    memory: [],
    remembered: [],
    review: null,
    ...(of.serviceCalls && of.serviceCalls.length > 0 && { search_services: of.serviceCalls }),
    dry_run: false,
    features: {},
    change: of.change,
  }
}

type Attempts = Pick<AuditDraft, 'attempts'>

export const sumTokens = ({ attempts }: Attempts): number =>
  sumOf(attempts, 'prompt_tokens') + sumOf(attempts, 'completion_tokens')

/** Part of `sumTokens`; null: none. */
export const sumCacheRead = ({ attempts }: Attempts): number | null => sumOf(attempts, 'cache_read_tokens') || null

/** null: no model has a price. */
export const sumCost = ({ attempts }: Attempts): number | null =>
  attempts.reduce<number | null>((sum, { cost }) => (cost === undefined ? sum : (sum ?? 0) + cost), null)
