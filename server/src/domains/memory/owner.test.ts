import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId } from '../../platform/lib/id.ts'
import { MEMORY_SCOPES, type MemoryScope, SHARED_SCOPES } from '../../shared/memory-words.ts'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import type { Viewer } from '../../shared/viewer.ts'
import { ownerKey, ownerOfMemory, visibleOwners } from './owner.ts'

const workspaces = [newId('ws'), newId('ws')]
const applications = [newId('app'), newId('app')]
/** Few ids, so that they coincide often; some would collide if they were only concatenated. */
const ids = fc.constantFrom('', 'a', 'b', 'a,b', '"a"', 'a","b', workspaces[0] as string, applications[0] as string)

const viewers: fc.Arbitrary<Viewer> = fc
  .record({ workspaceId: fc.constantFrom(...workspaces), applicationId: fc.constantFrom(...applications), sessionId: ids })
  .chain((viewer) =>
    fc
      .record({ id: ids, department: ids, projects: fc.array(ids, { maxLength: 2 }), verified: fc.boolean() })
      .map(({ id, department, projects, verified }) => ({
        ...viewer,
        ceiling: 'internal' as const,
        assertionScopes: SHARED_SCOPES,
        user: { ...ANONYMOUS_USER, id, department, attributes: { projects }, verified },
      })),
  )

/** GW-MEMS-6 by scope: whether `viewer` may see memories that `writer` stored in this scope. */
function shares(scope: MemoryScope, scopeId: string, writer: Viewer, viewer: Viewer): boolean {
  if (writer.workspaceId !== viewer.workspaceId) return false
  const sameUser = writer.user.id === viewer.user.id
  const sameApplication = writer.applicationId === viewer.applicationId
  switch (scope) {
    case 'user':
      return sameUser
    case 'session':
      return sameApplication && sameUser && writer.sessionId === viewer.sessionId
    case 'application':
      return sameApplication
    case 'department':
      return viewer.user.department === scopeId
    case 'project':
      return (viewer.user.attributes.projects as string[]).includes(scopeId)
    case 'workspace':
      return true
  }
}

test('visibleOwners: returns exactly the owners of GW-MEMS-6', () => {
  fc.assert(
    fc.property(viewers, viewers, fc.constantFrom(...MEMORY_SCOPES), ids, (writer, viewer, scope, scopeId) => {
      const answer = ownerOfMemory(writer, scope, scopeId)
      if (!answer.ok) return
      const { owner } = answer
      const seen = visibleOwners(viewer).some((own) => own.workspaceId === owner.workspaceId && ownerKey(own) === ownerKey(owner))
      expect(seen).toBe(shares(scope, scopeId, writer, viewer))
    }),
    { numRuns: 3_000 },
  )
})

const viewer: Viewer = {
  workspaceId: workspaces[0] as string,
  applicationId: applications[0] as string,
  sessionId: 's1',
  ceiling: 'internal',
  assertionScopes: SHARED_SCOPES,
  user: { ...ANONYMOUS_USER, id: 'alice' },
}

test('ownerOfMemory: limits verified users to their own owners, and other users to the asserted scopes', () => {
  fc.assert(
    fc.property(
      viewers,
      fc.constantFrom(...MEMORY_SCOPES),
      ids,
      fc.subarray([...SHARED_SCOPES]),
      (viewer, scope, scopeId, assertionScopes) => {
        const writer = { ...viewer, assertionScopes }
        const answer = ownerOfMemory(writer, scope, scopeId)
        const isShared = SHARED_SCOPES.some((shared) => shared === scope)
        if (answer.ok && isShared && viewer.user.verified) expect(shares(scope, scopeId, viewer, viewer)).toBe(true)
        if (answer.ok && isShared && !viewer.user.verified) expect(assertionScopes).toContain(scope)
      },
    ),
    { numRuns: 2_000 },
  )
})

test.each([
  ['user', { user: ANONYMOUS_USER }, null, 'governance.user'],
  ['user', { user: { ...ANONYMOUS_USER, id: 'a\0b' } }, null, 'governance.user.id'],
  ['session', { sessionId: '' }, null, 'governance.session_id'],
  ['session', { sessionId: 'x'.repeat(600) }, null, 'governance.session_id'],
  ['department', {}, null, 'scope_id'],
  ['project', {}, '  ', 'scope_id'],
  ['project', {}, '\ud800', 'scope_id'],
] as const)('scope %s without what it needs is refused and says what', (scope, fields, scopeId, param) => {
  expect(ownerOfMemory({ ...viewer, ...fields }, scope, scopeId)).toMatchObject({ ok: false, param, message: expect.any(String) })
})

test('ownerOfMemory: ignores scopeId for scopes other than department and project', () => {
  expect(ownerOfMemory(viewer, 'user', 'bob')).toMatchObject({ ok: true, owner: { scopeId: 'alice', userId: 'alice' } })
  expect(ownerOfMemory(viewer, 'session', 'other')).toMatchObject({ owner: { scopeId: 's1', applicationId: applications[0] } })
  expect(ownerOfMemory(viewer, 'workspace', 'other')).toMatchObject({ owner: { scopeId: workspaces[0] } })
})

test('visibleOwners: an anonymous user sees only shared owners', () => {
  const scopes = visibleOwners({ ...viewer, sessionId: '', user: ANONYMOUS_USER }).map(({ scope }) => scope)
  expect(scopes).toEqual(['application', 'workspace'])
})

test('visibleOwners: ignores invalid project attributes', () => {
  const projects = (value: unknown) =>
    visibleOwners({ ...viewer, user: { ...viewer.user, attributes: { projects: value } } })
      .filter(({ scope }) => scope === 'project')
      .map(({ scopeId }) => scopeId)
  expect(projects('p1')).toEqual([])
  expect(projects(['p1', 5, null, '', 'p1', 'a\0b', ['p2']])).toEqual(['p1'])
})
