import { oneOf, textOf } from '../../routing/location.ts'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'

export interface Search {
  readonly q?: string | undefined
  readonly application?: string | undefined
  readonly user?: string | undefined
  readonly role?: string | undefined
  readonly department?: string | undefined
  readonly clearance?: string | undefined
}

/** `document`: the document to explain. */
interface ExplainedSearch extends Search {
  readonly document?: string | undefined
}

/** Reads a search from the page's URL. */
export const readSearch = (search: Readonly<Record<string, unknown>>): ExplainedSearch => ({
  q: textOf(search.q),
  application: textOf(search.application),
  user: textOf(search.user),
  role: textOf(search.role),
  department: textOf(search.department),
  clearance: oneOf(CLASSIFICATIONS, search.clearance),
  document: textOf(search.document),
})

/** Request body; undefined without query or Application. */
export function searchBody({ q, application, user, role, department, clearance, document }: ExplainedSearch) {
  if (!q?.trim() || !application) return undefined
  const attributes = clearance ? { clearance } : {}
  return {
    query: q,
    application_id: application,
    ...(document && { document_id: document }),
    user: { ...(user && { id: user }), ...(role && { role }), ...(department && { department }), attributes },
  }
}
