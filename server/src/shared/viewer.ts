import { CLASSIFICATIONS, type Classification, classificationRank } from './classification.ts'
import type { SharedScope } from './memory-words.ts'
import { type Application, departmentsOf, rolesOf, type User } from './principal.ts'

export interface Viewer {
  readonly workspaceId: string
  readonly applicationId: string
  readonly user: User
  /** All who read what is found: a document that denies one of them is hidden. Absent: `user` alone. */
  readonly readers?: readonly User[]
  /** Empty when the request names none. */
  readonly sessionId: string
  /** Maximum classification: the lower of the Application's and the user's clearance (GW-KNOW-6). */
  readonly ceiling: Classification
  /** Shared scopes that the Application lets users write whom it merely asserts; absent: none. */
  readonly assertionScopes?: readonly SharedScope[]
}

/** Each project is one hash in the search: tens of thousands would delay all other requests. */
export const MAX_PROJECTS = 1_000

export const hasTooManyProjects = ({ projects }: User['attributes']): boolean =>
  Array.isArray(projects) && projects.length > MAX_PROJECTS

export function projectsOf({ attributes }: User): readonly string[] {
  const { projects } = attributes
  return Array.isArray(projects)
    ? projects.filter((project): project is string => typeof project === 'string' && project !== '')
    : []
}

export const upTo = (ceiling: Classification): readonly Classification[] =>
  CLASSIFICATIONS.slice(0, CLASSIFICATIONS.indexOf(ceiling) + 1)

interface Readers {
  readonly user: User
  /** All users who will read the completion; absent: `user` alone. */
  readonly readers?: readonly User[]
  readonly sessionId: string
}

/** Sees only what both the Application and the user may see; if several users read the completion, what all of them may see. */
export function viewerOf(
  { application }: { readonly application: Application },
  { user: sender, readers = [sender], sessionId }: Readers,
): Viewer {
  const user = readers.length === 1 ? sender : commonUser(readers)
  const clearance = readers.map((reader) => clearanceOf(reader, application)).reduce(lower)
  const ceiling = lower(clearance, application.ceiling)
  const { assertion_scopes: assertionScopes } = application.settings.memory
  const viewer = {
    workspaceId: application.workspaceId,
    applicationId: application.id,
    user,
    sessionId,
    ceiling,
    assertionScopes,
  }
  return readers.length === 1 ? viewer : { ...viewer, readers }
}

const lower = (a: Classification, b: Classification): Classification => (classificationRank(a) < classificationRank(b) ? a : b)

/** A user with the attributes that all of them share: what this user may see, each of them may see. */
function commonUser(users: readonly User[]): User {
  const shared = (namesOf: (user: User) => readonly string[]): readonly string[] => {
    const [first = [], ...others] = users.map(namesOf)
    return first.filter((name) => others.every((names) => names.includes(name)))
  }
  const [roles, departments] = [shared(rolesOf), shared(departmentsOf)]
  return {
    id: '',
    role: roles[0] ?? '',
    department: departments[0] ?? '',
    roles,
    departments,
    groups: shared(({ groups = [] }) => groups),
    attributes: { projects: shared(projectsOf) },
    verified: users.every((user) => user.verified),
  }
}

/** GW-KNOW-8: the user's `clearance`, else the highest of the roles; of an asserted user the Application's `assertion_clearance`. */
function clearanceOf(user: User, { settings }: Application): Classification {
  if (!user.verified) return settings.assertion_clearance
  const own = CLASSIFICATIONS.find((word) => word === user.attributes.clearance)
  if (own) return own
  const byRole = rolesOf(user).flatMap((role) =>
    Object.hasOwn(settings.role_clearance, role) ? (settings.role_clearance[role] ?? []) : [],
  )
  return byRole.length === 0 ? settings.assertion_clearance : byRole.reduce((a, b) => (lower(a, b) === a ? b : a))
}
