import { createHash } from 'node:crypto'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import type { MemoryScope } from '../../shared/memory-words.ts'
import { departmentsOf } from '../../shared/principal.ts'
import { projectsOf, type Viewer } from '../../shared/viewer.ts'

/** The owner of memories (GW-MEMC-12). Our own ids are TypeIDs. */
export interface MemoryOwner {
  readonly workspaceId: string
  readonly scope: MemoryScope
  /** Id of the user, session, Application, department …, as Applications state it. */
  readonly scopeId: string
  /** For the scopes session and application; null: shared by all Applications. */
  readonly applicationId: string | null
  /** For the scopes user and session; null: no user. */
  readonly userId: string | null
}

type OwnerResult =
  | { readonly ok: true; readonly owner: MemoryOwner }
  | { readonly ok: false; readonly param: string; readonly message: string }
  /** The owner exists, and this viewer may not write its memories. */
  | { readonly ok: false; readonly denied: string }

/** Longer ids do not fit into the database index. */
const MAX_ID = 512

/** Identifies the owner within its Workspace: a hash that is equal only for equal owners. */
export const ownerKey = ({ scope, applicationId, userId, scopeId }: MemoryOwner): string =>
  createHash('sha256')
    .update(canonicalJson([scope, applicationId, userId, scopeId]))
    .digest('hex')

/**
 * The owner of a memory of this scope, if the viewer may write there. `scopeId` names departments and projects: a verified user
 * writes to their own ones; for other users the Application's setting `memory.assertion_scopes` must name the scope. The owners of
 * other scopes follow from the viewer, and `scopeId` is ignored.
 */
export function ownerOfMemory(viewer: Viewer, scope: MemoryScope, scopeId: string | null): OwnerResult {
  const result = resolveOwner(viewer, scope, scopeId)
  const denied = result.ok ? denialReason(viewer, result.owner) : undefined
  return denied === undefined ? result : { ok: false, denied }
}

function denialReason({ user, assertionScopes = [] }: Viewer, { scope, scopeId }: MemoryOwner): string | undefined {
  if (scope === 'user' || scope === 'session') return undefined
  if (!user.verified)
    return assertionScopes.includes(scope)
      ? undefined
      : `This Application writes memories of the scope ${scope} only for verified users. Add the scope to its setting memory.assertion_scopes to allow it.`
  const isOwn =
    scope === 'department'
      ? departmentsOf(user).includes(scopeId)
      : scope === 'project'
        ? projectsOf(user).includes(scopeId)
        : true
  return isOwn ? undefined : `A verified user may write memories of the scope ${scope} only for their own ${scope}.`
}

function resolveOwner(viewer: Viewer, scope: MemoryScope, scopeId: string | null): OwnerResult {
  const { user, sessionId } = viewer
  switch (scope) {
    case 'user':
      if (user.id === '') return missing('governance.user', 'is required for the scope user')
      return checkStorable('governance.user.id', ownUser(viewer))
    case 'session':
      if (sessionId === '') return missing('governance.session_id', 'is required for the scope session')
      return checkStorable('governance.session_id', ownSession(viewer))
    case 'application':
      return { ok: true, owner: ownApplication(viewer) }
    case 'department':
    case 'project':
      if (scopeId === null || scopeId.trim() === '') return missing('scope_id', `is required for the scope ${scope}`)
      return checkStorable('scope_id', owned(viewer, scope, scopeId))
    case 'workspace':
      return { ok: true, owner: ownWorkspace(viewer) }
  }
}

/** The owners whose memories the viewer may see. An anonymous user has no memories of their own. */
export function visibleOwners(viewer: Viewer): readonly MemoryOwner[] {
  const { user, sessionId } = viewer
  const owners = [
    ...(user.id === '' ? [] : [ownUser(viewer)]),
    ...(sessionId === '' ? [] : [ownSession(viewer)]),
    ownApplication(viewer),
    ...departmentsOf(user).map((department) => owned(viewer, 'department', department)),
    ...[...new Set(projectsOf(user))].map((project) => owned(viewer, 'project', project)),
    ownWorkspace(viewer),
  ]
  return owners.filter(isStorable)
}

const ownUser = (viewer: Viewer): MemoryOwner => owned(viewer, 'user', viewer.user.id, { userId: viewer.user.id })

const ownSession = (viewer: Viewer): MemoryOwner =>
  owned(viewer, 'session', viewer.sessionId, { applicationId: viewer.applicationId, userId: viewer.user.id || null })

const ownApplication = (viewer: Viewer): MemoryOwner =>
  owned(viewer, 'application', viewer.applicationId, { applicationId: viewer.applicationId })

const ownWorkspace = (viewer: Viewer): MemoryOwner => owned(viewer, 'workspace', viewer.workspaceId)

const owned = (
  { workspaceId }: Viewer,
  scope: MemoryScope,
  scopeId: string,
  { applicationId = null, userId = null }: Partial<Pick<MemoryOwner, 'applicationId' | 'userId'>> = {},
): MemoryOwner => ({ workspaceId, scope, scopeId, applicationId, userId })

const missing = (param: string, message: string): OwnerResult => ({ ok: false, param, message })

const checkStorable = (param: string, owner: MemoryOwner): OwnerResult =>
  isStorable(owner)
    ? { ok: true, owner }
    : { ok: false, param, message: `must have at most ${MAX_ID} characters, without U+0000 and unpaired surrogates` }

const isStorable = ({ scopeId, userId }: MemoryOwner): boolean =>
  [scopeId, userId ?? ''].every((id) => id.length <= MAX_ID && id.isWellFormed() && !id.includes('\0'))
