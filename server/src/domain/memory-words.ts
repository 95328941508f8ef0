/** Who shares a memory (gateway-api.md, Enumerations). */
export const MEMORY_SCOPES = ['user', 'session', 'application', 'department', 'project', 'workspace'] as const
export type MemoryScope = (typeof MEMORY_SCOPES)[number]

/** Scopes that many users share. */
export const SHARED_SCOPES = ['application', 'department', 'project', 'workspace'] as const satisfies readonly MemoryScope[]
export type SharedScope = (typeof SHARED_SCOPES)[number]

/** What a memory is about (gateway-api.md, Enumerations). */
export const MEMORY_KINDS = ['fact', 'preference', 'decision', 'summary', 'workflow_state'] as const
export type MemoryKind = (typeof MEMORY_KINDS)[number]
