const AREAS = [
  'applications',
  'people',
  'providers',
  'policies',
  'reviews',
  'audit',
  'knowledge',
  'memory',
  'messaging',
  'workspaces',
  'operators',
] as const

/** Looking, and changing; of the audit log, which nobody changes: searching it, and having it verified and exported as a whole. */
type AreaScope = `${(typeof AREAS)[number]}:${'read' | 'write'}`

/** What an operation of the admin API needs. Two reveal content, or produce it: what is held, and answers of a model. */
export type Scope = AreaScope | 'reviews:content' | 'playground:use'

export const READ_SCOPES: readonly AreaScope[] = AREAS.map((area) => `${area}:read` as const)
const WRITE_SCOPES: readonly AreaScope[] = AREAS.map((area) => `${area}:write` as const)

export const SCOPES: readonly Scope[] = [...READ_SCOPES, ...WRITE_SCOPES, 'reviews:content', 'playground:use']
