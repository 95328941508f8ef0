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

/** `read` and `write`; for the audit log, which cannot be changed: search, and verification and export of the whole log. */
type AreaScope = `${(typeof AREAS)[number]}:${'read' | 'write'}`

const OTHERS = ['reviews:content', 'knowledge:content', 'playground:use'] as const

export type Scope = AreaScope | (typeof OTHERS)[number]

export const READ_SCOPES: readonly AreaScope[] = AREAS.map((area) => `${area}:read` as const)
const WRITE_SCOPES: readonly AreaScope[] = AREAS.map((area) => `${area}:write` as const)

export const SCOPES: readonly Scope[] = [...READ_SCOPES, ...WRITE_SCOPES, ...OTHERS]
