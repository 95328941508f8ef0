import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accessOf, covers, limitAccess, mayEnter, type Roles, scopesAnywhere, scopesIn, workspacesWith } from './access.ts'
import { ROLE_SCOPES, ROLES, type Role } from './operator.ts'
import { SCOPES, type Scope } from './scope.ts'

const WORKSPACES = ['ws_a', 'ws_b', 'ws_c']

const anyRole = fc.constantFrom(...ROLES)
const anyRoles: fc.Arbitrary<Roles> = fc.record({
  all: fc.option(anyRole),
  workspaces: fc.dictionary(fc.constantFrom(...WORKSPACES), anyRole).map((roles) => new Map(Object.entries(roles))),
})
const anyWorkspace = fc.constantFrom(...WORKSPACES, 'ws_other')

/** The model: a scope is held in a Workspace if one of the two roles there has it. */
const has = (roles: Roles, workspaceId: string | undefined, scope: Scope): boolean =>
  [roles.all, workspaceId === undefined ? null : roles.workspaces.get(workspaceId)].some(
    (role: Role | null | undefined) => role && ROLE_SCOPES[role].includes(scope),
  )

test('access has a scope exactly when a role in all Workspaces or in this one has it [ADM-ROLE-1]', () => {
  fc.assert(
    fc.property(anyRoles, fc.option(anyWorkspace, { nil: undefined }), (roles, workspaceId) => {
      const scopes = scopesIn(accessOf(roles), workspaceId)
      for (const scope of SCOPES) expect(scopes.includes(scope)).toBe(has(roles, workspaceId, scope))
    }),
  )
})

test('access to a Workspace, scopes anywhere and Workspaces with a scope agree with the roles [ADM-ROLE-2]', () => {
  fc.assert(
    fc.property(anyRoles, fc.constantFrom(...SCOPES), (roles, scope) => {
      const access = accessOf(roles)
      const all = [...WORKSPACES, 'ws_other']
      const withScope = all.filter((id) => has(roles, id, scope))
      expect(all.filter((id) => mayEnter(access, id))).toEqual(all.filter((id) => roles.all !== null || roles.workspaces.has(id)))
      expect(scopesAnywhere(access).includes(scope)).toBe(withScope.length > 0)
      expect((workspacesWith(access, scope) ?? all).toSorted()).toEqual(withScope.toSorted())
    }),
  )
})

test('access covers other access exactly when it has each scope of it in each Workspace [ADM-ROLE-3]', () => {
  fc.assert(
    fc.property(anyRoles, anyRoles, (one, other) => {
      const places = [undefined, ...WORKSPACES, 'ws_other']
      const hasAll = places.every((id) => SCOPES.every((scope) => !has(other, id, scope) || has(one, id, scope)))
      expect(covers(accessOf(one), accessOf(other))).toBe(hasAll)
    }),
  )
})

test('a token never has more than its issuer, its scopes and its Workspaces [ADM-ROLE-4]', () => {
  const anyLimit = fc.option(fc.uniqueArray(anyWorkspace))
  fc.assert(
    fc.property(anyRoles, fc.subarray([...SCOPES]), anyLimit, anyWorkspace, (roles, scopes, limit, workspaceId) => {
      const token = scopesIn(limitAccess(accessOf(roles), scopes, limit), workspaceId)
      const isInside = limit === null || limit.includes(workspaceId)
      for (const scope of SCOPES)
        expect(token.includes(scope)).toBe(isInside && scopes.includes(scope) && has(roles, workspaceId, scope))
    }),
  )
})
