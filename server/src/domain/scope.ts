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

/** Beside the areas: what reveals content, of what is held and of documents whatever their labels; and asking models. */
const OTHERS = ['reviews:content', 'knowledge:content', 'playground:use'] as const

/** What an operation of the admin API needs. */
export type Scope = AreaScope | (typeof OTHERS)[number]

export const READ_SCOPES: readonly AreaScope[] = AREAS.map((area) => `${area}:read` as const)
const WRITE_SCOPES: readonly AreaScope[] = AREAS.map((area) => `${area}:write` as const)

export const SCOPES: readonly Scope[] = [...READ_SCOPES, ...WRITE_SCOPES, ...OTHERS]
