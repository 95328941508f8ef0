import type { Scope } from '../api/session.ts'

interface ObjectPages {
  readonly path: string
  readonly scope: Scope
}

/** Pages of objects, by the prefix of their ids. A request id leads to the audit record of the request. */
const BY_PREFIX: Readonly<Record<string, ObjectPages>> = {
  aud: { path: '/audit', scope: 'audit:read' },
  req: { path: '/audit', scope: 'audit:read' },
  rev: { path: '/reviews', scope: 'reviews:read' },
  app: { path: '/applications', scope: 'applications:read' },
  col: { path: '/knowledge', scope: 'knowledge:read' },
  doc: { path: '/knowledge/documents', scope: 'knowledge:read' },
  bud: { path: '/budgets', scope: 'applications:read' },
  pol: { path: '/policies', scope: 'policies:read' },
  pdr: { path: '/policies/drafts', scope: 'policies:read' },
}

const ID = /^([a-z]{2,5})_[0-9a-z]{26}$/

/** The prefix of an id: `key`. Undefined: the text is no id. */
export const prefixOf = (id: string): string | undefined => ID.exec(id)?.[1]

/** The page of an object. Undefined: the text is no id, or such objects have no page. */
export function pageOfObject(id: string): { readonly to: string; readonly scope: Scope } | undefined {
  const pages = BY_PREFIX[prefixOf(id) ?? '']
  return pages && { to: `${pages.path}/${id}`, scope: pages.scope }
}
