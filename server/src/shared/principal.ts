import type { Classification } from './classification.ts'
import type { MemoryScope, SharedScope } from './memory-words.ts'

/** The eight gateway endpoints by the names policies and records use (GW-POL-15). */
export const ENDPOINTS = [
  'chat',
  'embeddings',
  'models',
  'knowledge_search',
  'memory_search',
  'memory_capture',
  'stored_responses',
  'audit',
] as const
export type Endpoint = (typeof ENDPOINTS)[number]

export const EXTENSIONS = ['tools', 'content_parts', 'developer_role'] as const
export type Extension = (typeof EXTENSIONS)[number]

export interface ApplicationLimits {
  readonly requests_per_minute: number
  readonly burst: number
  readonly concurrency: number
  /** null: no token limit. */
  readonly tokens_per_minute: number | null
  /** null: no limit per end user. */
  readonly user_requests_per_minute: number | null
}

export const DEFAULT_LIMITS: ApplicationLimits = {
  requests_per_minute: 600,
  burst: 60,
  concurrency: 200,
  tokens_per_minute: null,
  user_requests_per_minute: null,
}

/** Requests and tokens of each minute. null: no limit. */
export interface RateLimits {
  readonly requests_per_minute: number | null
  readonly burst: number
  readonly tokens_per_minute: number | null
}

/** Limits and models of an API key or its team, in addition to those of the Application. null: none of its own. */
export interface Restriction {
  readonly of: 'key' | 'team'
  readonly id: string
  /** As refusals name it: `this API key`. */
  readonly owner: string
  readonly limits: RateLimits | null
  readonly models: readonly string[] | null
  /** Ids of the users who may use the keys; null: everyone. */
  readonly members: readonly string[] | null
}

/** The team of the caller's key. It is always among the restrictions. */
export const teamOf = ({ restrictions }: Pick<Application, 'restrictions'>): Restriction | undefined =>
  restrictions?.find((restriction) => restriction.of === 'team')

export interface KnowledgeSettings {
  readonly enabled: boolean
  /** Names or ids; absent: every collection that serves the Application. */
  readonly collections?: readonly string[]
  /** Maximum number of passages in a chat; 0: none. */
  readonly passages: number
}

export interface MemorySettings {
  readonly enabled: boolean
  /** Memories of chats: none, those that the user asks for, or those that the Application's model extracts. */
  readonly capture: 'off' | 'explicit' | 'extract'
  /** Maximum number of memories in a chat; 0: none. */
  readonly recall: number
  /** Scopes that chats recall from; absent: all that the user shares. */
  readonly scopes?: readonly MemoryScope[]
  /** Shared scopes that requests without a verified user may write to. */
  readonly assertion_scopes: readonly SharedScope[]
}

/**
 * `name`: detectors read an unknown field, only a provider of the same API gets it, and the response names it. `carry`: also blocks and
 * items of unknown types, and known fields that the gateway cannot translate.
 */
export const UNKNOWN_FIELDS = ['name', 'carry', 'refuse'] as const
export type UnknownFields = (typeof UNKNOWN_FIELDS)[number]

export const RELEASE_MODES = ['validated', 'windowed'] as const
export type ReleaseMode = (typeof RELEASE_MODES)[number]

/** The longest finding of a bounded detector, a placeholder that is not complete, and a character that marks can still change. */
export const MIN_RELEASE_WINDOW = 576
export const MAX_RELEASE_WINDOW = 65_536

export const RESPONSE_STORING = ['off', 'requested', 'default'] as const
export type ResponseStoring = (typeof RESPONSE_STORING)[number]

export interface ResponseSettings {
  /** Which responses of the responses API are stored: none, those with `store: true`, or all without `store: false`. */
  readonly store: ResponseStoring
  /** Days after which a stored response can no longer be read and is removed. */
  readonly retention_days: number
  /** Megabytes (10^6 bytes) of stored responses; at this size no request that stores its response is accepted. */
  readonly max_megabytes: number
}

export interface ApplicationSettings {
  readonly extensions: readonly Extension[]
  readonly knowledge: KnowledgeSettings
  readonly memory: MemorySettings
  readonly responses: ResponseSettings
  /** Clearance of unverified users (GW-KNOW-8). */
  readonly assertion_clearance: Classification
  /** Clearance of verified users by role, if their token has no `clearance` (GW-KNOW-8). */
  readonly role_clearance: Readonly<Record<string, Classification>>
  readonly default_classification: Classification
  /** Treatment of fields of a client's API that the gateway does not know (GW-FID-4). */
  readonly unknown_fields: UnknownFields
  /** `windowed`: text of a streamed response leaves before the response is complete, if the output policy can judge it (GW-WIN-1). */
  readonly release: ReleaseMode
  /** Characters at the end of the text so far that are held back. */
  readonly release_window: number
  /** Browser origins that may read responses to this Application, or `*`; absent: none. */
  readonly cors?: { readonly origins: readonly string[] }
  /** Free-form, visible to policies as `application.settings`. */
  readonly [name: string]: unknown
}

export const DEFAULT_SETTINGS: ApplicationSettings = {
  extensions: [],
  knowledge: { enabled: false, passages: 5 },
  memory: { enabled: false, capture: 'off', recall: 5, assertion_scopes: [] },
  responses: { store: 'requested', retention_days: 30, max_megabytes: 1_000 },
  assertion_clearance: 'internal',
  role_clearance: {},
  default_classification: 'internal',
  unknown_fields: 'name',
  release: 'validated',
  release_window: MIN_RELEASE_WINDOW,
}

/** The calling Application, resolved by stage 1. Ids are TypeIDs (`app_…`, `ws_…`). */
export interface Application {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly settings: ApplicationSettings
  readonly limits: ApplicationLimits
  /** Patterns over `model` or `provider/model` with `*`. null: every model of the allowed providers. */
  readonly models: readonly string[] | null
  /** Allowed provider ids; null: every provider of the Workspace. */
  readonly providers: readonly string[] | null
  readonly defaultModel: string | null
  readonly ceiling: Classification
  /** Since then no request is accepted. */
  readonly archivedAt?: Date | null
  /** The key under which budgets count the caller: the first of the key's rotation. Absent: the caller has no key. */
  readonly countedKeyId?: string
  /** Of the caller's key and its team. Each must admit the request as well. */
  readonly restrictions?: readonly Restriction[]
}

/** The end user of one request: asserted by the Application, or verified by a token of the Workspace JWKS. */
export interface User {
  /** Empty: the request names no user. */
  readonly id: string
  /** The first of the roles. */
  readonly role: string
  /** The first of the departments. */
  readonly department: string
  /** Absent: `role` alone. */
  readonly roles?: readonly string[]
  /** Absent: `department` alone. */
  readonly departments?: readonly string[]
  /** Ids of groups that the user belongs to, also over other groups. Absent: none. */
  readonly groups?: readonly string[]
  readonly attributes: Readonly<Record<string, unknown>>
  readonly verified: boolean
}

export const rolesOf = ({ role, roles = [role] }: User): readonly string[] => roles.filter(Boolean)
export const departmentsOf = ({ department, departments = [department] }: User): readonly string[] => departments.filter(Boolean)

export const ANONYMOUS_USER: User = { id: '', role: '', department: '', attributes: {}, verified: false }
