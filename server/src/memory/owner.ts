import { createHash } from 'node:crypto'
import type { MemoryScope } from '../domain/memory-words.ts'
import { projectsOf, type Viewer } from '../domain/viewer.ts'
import { canonicalJson } from '../lib/canonical-json.ts'

/** Whose memories (decisions.md §2.8). Ids are TypeIDs where they are ours. */
export interface MemoryOwner {
  readonly workspaceId: string
  readonly scope: MemoryScope
  /** What callers know the owner by: the user's id, the session's, the Application's, the department's … */
  readonly scopeId: string
  /** Sessions and Applications: which Application's. null: shared by all. */
  readonly applicationId: string | null
  /** Users and sessions: whose. null: nobody's own. */
  readonly userId: string | null
}

export type OwnerAnswer =
  | { readonly ok: true; readonly owner: MemoryOwner }
  | { readonly ok: false; readonly param: string; readonly message: string }
  /** It is somebody's, and this viewer may not write there. */
  | { readonly ok: false; readonly denied: string }

/** Longer ids than this are no owner's: they would not fit into an index. */
const MAX_ID = 512

/** Which memories these are within their Workspace: equal for equal owners and different for different ones, whatever the ids hold. */
export const ownerKey = ({ scope, applicationId, userId, scopeId }: MemoryOwner): string =>
  createHash('sha256')
    .update(canonicalJson([scope, applicationId, userId, scopeId]))
    .digest('hex')

/**
 * Whose a memory of that scope would be, if this viewer may write there. Departments and projects are named by `scopeId`: a verified
 * user writes to their own; for others the Application vouches, where its setting `memory.assertion_scopes` names the scope. The
 * other owners follow from who calls, whatever `scopeId` says.
 */
export function ownerOfMemory(viewer: Viewer, scope: MemoryScope, scopeId: string | null): OwnerAnswer {
  const answer = namedOwner(viewer, scope, scopeId)
  const denied = answer.ok ? whyDenied(viewer, answer.owner) : undefined
  return denied === undefined ? answer : { ok: false, denied }
}

/** Why a viewer may not write memories of that owner; undefined: they may. */
function whyDenied({ user, assertionScopes = [] }: Viewer, { scope, scopeId }: MemoryOwner): string | undefined {
  if (scope === 'user' || scope === 'session') return undefined
  if (!user.verified)
    return assertionScopes.includes(scope)
      ? undefined
      : `Without a verified user this Application does not write memories of the scope ${scope}: its setting memory.assertion_scopes does not name it.`
  const isOwn =
    scope === 'department' ? user.department === scopeId : scope === 'project' ? projectsOf(user).includes(scopeId) : true
  return isOwn ? undefined : `A verified user writes memories of the scope ${scope} only where it is their own.`
}

function namedOwner(viewer: Viewer, scope: MemoryScope, scopeId: string | null): OwnerAnswer {
  const { user, sessionId } = viewer
  switch (scope) {
    case 'user':
      if (user.id === '') return missing('governance.user', 'is required for the scope user')
      return named('governance.user.id', ownUser(viewer))
    case 'session':
      if (sessionId === '') return missing('governance.session_id', 'is required for the scope session')
      return named('governance.session_id', ownSession(viewer))
    case 'application':
      return { ok: true, owner: ownApplication(viewer) }
    case 'department':
    case 'project':
      if (scopeId === null || scopeId.trim() === '') return missing('scope_id', `is required for the scope ${scope}`)
      return named('scope_id', shared(viewer, scope, scopeId))
    case 'workspace':
      return { ok: true, owner: ownWorkspace(viewer) }
  }
}

/**
 * Whose memories the viewer shares: the user's own, this session's, this Application's, the user's department's, the user's
 * projects', the Workspace's. Nobody shares what is nobody's: an unnamed user has none of their own.
 */
export function visibleOwners(viewer: Viewer): readonly MemoryOwner[] {
  const { user, sessionId } = viewer
  const owners = [
    ...(user.id === '' ? [] : [ownUser(viewer)]),
    ...(sessionId === '' ? [] : [ownSession(viewer)]),
    ownApplication(viewer),
    ...(user.department === '' ? [] : [shared(viewer, 'department', user.department)]),
    ...[...new Set(projectsOf(user))].map((project) => shared(viewer, 'project', project)),
    ownWorkspace(viewer),
  ]
  return owners.filter(isStorable)
}

const ownUser = ({ workspaceId, user }: Viewer): MemoryOwner => ({
  workspaceId,
  scope: 'user',
  scopeId: user.id,
  applicationId: null,
  userId: user.id,
})

const ownSession = ({ workspaceId, applicationId, user, sessionId }: Viewer): MemoryOwner => ({
  workspaceId,
  scope: 'session',
  scopeId: sessionId,
  applicationId,
  userId: user.id === '' ? null : user.id,
})

const ownApplication = ({ workspaceId, applicationId }: Viewer): MemoryOwner => ({
  workspaceId,
  scope: 'application',
  scopeId: applicationId,
  applicationId,
  userId: null,
})

const ownWorkspace = ({ workspaceId }: Viewer): MemoryOwner => shared({ workspaceId }, 'workspace', workspaceId)

const shared = (
  { workspaceId }: Pick<Viewer, 'workspaceId'>,
  scope: 'department' | 'project' | 'workspace',
  scopeId: string,
): MemoryOwner => ({ workspaceId, scope, scopeId, applicationId: null, userId: null })

const missing = (param: string, message: string): OwnerAnswer => ({ ok: false, param, message })

const named = (param: string, owner: MemoryOwner): OwnerAnswer =>
  isStorable(owner)
    ? { ok: true, owner }
    : { ok: false, param, message: `must have at most ${MAX_ID} characters, and neither U+0000 nor half of a surrogate pair` }

const isStorable = ({ scopeId, userId }: MemoryOwner): boolean =>
  [scopeId, userId ?? ''].every((id) => id.length <= MAX_ID && id.isWellFormed() && !id.includes('\0'))
