import { CLASSIFICATIONS, type Classification, classificationRank } from '../domain/classification.ts'
import type { Application, User } from '../domain/principal.ts'
import { projectsOf, type Viewer } from '../domain/viewer.ts'
import type { Caller, Identity } from './facts.ts'

/**
 * Whose eyes knowledge and memory are seen through: the Application's and the user's, whichever may see less. Where others read
 * the answer as well, only what is common to them all.
 */
export function viewerOf({ application }: Caller, { user: asking, readers = [asking], sessionId }: Identity): Viewer {
  const user = readers.length === 1 ? asking : commonUser(readers)
  const clearance = readers.map((reader) => clearanceOf(reader, application)).reduce(lower)
  const ceiling = lower(clearance, application.ceiling)
  const { assertion_scopes: assertionScopes } = application.settings.memory
  return { workspaceId: application.workspaceId, applicationId: application.id, user, sessionId, ceiling, assertionScopes }
}

const lower = (a: Classification, b: Classification): Classification => (classificationRank(a) < classificationRank(b) ? a : b)

/** Nobody of their own: what all of them are. Whatever lets this user in lets each of them in. */
function commonUser(users: readonly User[]): User {
  const shared = (field: 'role' | 'department') => {
    const [value = '', ...others] = new Set(users.map((user) => user[field]))
    return others.length === 0 ? value : ''
  }
  const [first = [], ...others] = users.map(projectsOf)
  const projects = first.filter((project) => others.every((theirs) => theirs.includes(project)))
  const verified = users.every((user) => user.verified)
  return { id: '', role: shared('role'), department: shared('department'), attributes: { projects }, verified }
}

/**
 * Decisions.md §2.7: a verified user's attribute `clearance`, else what the Application grants the role; whoever is only asserted
 * has the Application's `assertion_clearance`, whatever the assertion says.
 */
function clearanceOf({ verified, role, attributes }: User, { settings }: Application): Classification {
  if (!verified) return settings.assertion_clearance
  const own = CLASSIFICATIONS.find((word) => word === attributes.clearance)
  const byRole = Object.hasOwn(settings.role_clearance, role) ? settings.role_clearance[role] : undefined
  return own ?? byRole ?? settings.assertion_clearance
}
