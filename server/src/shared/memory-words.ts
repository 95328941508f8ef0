/** The users that share a memory (GW-ENUM-2). */
export const MEMORY_SCOPES = ['user', 'session', 'application', 'department', 'project', 'workspace'] as const
export type MemoryScope = (typeof MEMORY_SCOPES)[number]

export const SHARED_SCOPES = ['application', 'department', 'project', 'workspace'] as const satisfies readonly MemoryScope[]
export type SharedScope = (typeof SHARED_SCOPES)[number]

/** The kind of a memory's content (GW-ENUM-3). */
export const MEMORY_KINDS = ['fact', 'preference', 'decision', 'summary', 'workflow_state'] as const
export type MemoryKind = (typeof MEMORY_KINDS)[number]

/** audit_only: kept for auditors; recall never returns it. */
export const MEMORY_MODES = ['active', 'audit_only'] as const
export type MemoryMode = (typeof MEMORY_MODES)[number]

/** capture: through the endpoint. explicit, extract: from a chat. admin: an operator's correction. */
export const MEMORY_SOURCES = ['capture', 'explicit', 'extract', 'admin'] as const
export type MemorySource = (typeof MEMORY_SOURCES)[number]
