import type { Classification, RiskLevel } from '../domain/classification.ts'
import type { ProviderAttempt } from '../domain/completion.ts'
import type { DecidingRule, PolicyVersion, Verdict } from '../domain/decision.ts'
import type { FindingGroup, FindingType } from '../domain/finding.ts'
import type { Endpoint } from '../domain/principal.ts'
import type { ErrorCode } from '../errors.ts'

/** What happened: a gateway endpoint, a message, or an operator's change over the admin API or the command line. */
export type AuditEndpoint = Endpoint | 'message' | 'admin'

/** Before the record has its place in the chain. JSON values only, and never content (decisions.md §2.9). */
export interface AuditDraft {
  /** TypeID `aud_…`, made when the exchange begins: answers and errors carry it. */
  readonly id: string
  readonly object: 'audit_record'
  readonly workspace_id: string
  /** null: a message or an operator's change, not an Application's exchange. */
  readonly application_id: string | null
  readonly endpoint: AuditEndpoint
  /** As `Date.toISOString` writes it. */
  readonly created_at: string
  readonly duration_ms: number
  /** HTTP status of the answer. */
  readonly status: number
  readonly error_code: ErrorCode | null
  readonly user: UserFacts
  readonly request: ContentFacts
  /** null: there was no answer, or it was refused before it existed. */
  readonly response: ContentFacts | null
  /** All twelve in order for an exchange; empty for an operator's change. */
  readonly stages: readonly StageTrace[]
  /** Stage → finding → count; findings that are absent are left out. */
  readonly findings: Readonly<Record<string, Readonly<Partial<Record<FindingType | FindingGroup, number>>>>>
  readonly classification: Classification | null
  readonly risk_level: RiskLevel | null
  readonly decision: DecisionFacts | null
  /** Where no Application asked, but an operator who tried it out: the keyed hash of the operator's id. */
  readonly playground?: { readonly operator: string | null }
  readonly policy_versions: readonly (Omit<PolicyVersion, 'name'> & { readonly name?: string })[]
  readonly attempts: readonly ProviderAttempt[]
  /** Chunks that were shown to the caller or given to the model. */
  readonly knowledge: readonly UsedHit[]
  /** The same of memories. */
  readonly memory: readonly UsedHit[]
  /** Memories that this exchange has written. */
  readonly remembered: readonly { readonly id: string; readonly mode: string; readonly hash: string }[]
  readonly review: ReviewLink | null
  readonly dry_run: boolean
  /** The values policies looked at that are not content, by the names policies use (`request.model`). */
  readonly features: Readonly<Record<string, Feature>>
  readonly change: ChangeFacts | null
}

/** As stored, exported and shown: the draft in its place. */
export interface AuditRecord extends AuditDraft {
  readonly integrity: Integrity
}

/** Hashes in lower-case hex. */
interface Integrity {
  /** 1, 2, 3 … without gaps, per Workspace. */
  readonly sequence: number
  /** The `hash` of the record before; 64 zeros for the first. */
  readonly prev_hash: string
  /** SHA-256 of this record's RFC 8785 form without this field. */
  readonly hash: string
}

interface UserFacts {
  /** Keyed hash of the user id; null when the request named nobody. */
  readonly id: string | null
  readonly verified: boolean
  readonly role: string
  readonly department: string
}

/** What may be known of a text: its keyed hash, its size in bytes and how many of something it held. */
interface ContentFacts {
  readonly hash: string | null
  readonly bytes: number
  readonly messages?: number
  readonly choices?: number
  readonly models?: number
  readonly hits?: number
}

interface UsedHit {
  readonly id: string
  /** Keyed hash of its content, as it was used. */
  readonly hash: string
  /** How well it fitted, 0 to 1. */
  readonly score: number
}

interface StageTrace {
  readonly name: string
  readonly outcome: string
  readonly ms: number
}

interface DecisionFacts {
  readonly verdict: Verdict
  /** Those applied. */
  readonly transforms: readonly string[]
  readonly directives: readonly string[]
  readonly rules: readonly DecidingRule[]
}

/** The review item that this exchange opened, waited for or released. */
interface ReviewLink {
  readonly id: string
  readonly state?: string
}

export type Feature = string | number | boolean | null | readonly string[]

/** An operator's change: what it touched, by name; never a value, which might be a secret. */
export interface ChangeFacts {
  /** `application.update`, `key.revoke` … */
  readonly action: string
  readonly object_type: string
  readonly object_id: string
  readonly fields: readonly string[]
}

/** The draft for an operator's change; `actor` is the keyed hash of the operator's id, null for the server itself. */
export function changeDraft(of: {
  readonly id: string
  readonly workspaceId: string
  readonly at: Date
  readonly actor: string | null
  readonly change: ChangeFacts
  readonly status?: number
  readonly durationMs?: number
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
    policy_versions: [],
    attempts: [],
    knowledge: [],
    memory: [],
    remembered: [],
    review: null,
    dry_run: false,
    features: {},
    change: of.change,
  }
}
