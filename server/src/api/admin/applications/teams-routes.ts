import { ApiKeyView, apiKeyView } from '../../../domains/identity/api-key.ts'
import { listTeamKeys } from '../../../domains/identity/api-key-store.ts'
import { KEYS_TOPIC } from '../../../domains/identity/authenticator.ts'
import { type Team, TeamCreate, TeamPatch, TeamView, teamView } from '../../../domains/identity/team.ts'
import { createTeam, deleteTeam, findTeam, listTeams, updateTeam } from '../../../domains/identity/team-store.ts'
import { conflict, forbidden, requireFound } from '../../../shared/request-errors.ts'
import type { Scope } from '../../../shared/scope.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { ChangeDeps } from '../kit/change.ts'
import type { Asked } from '../kit/noun.ts'
import { inWorkspace } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'

/** Members are users. */
const MEMBERS_SCOPE: Scope = 'people:read'

const docs = inWorkspace(
  'GET /teams/:id/keys',
  'listTeamKeys',
  "List a team's keys of all Applications, including revoked keys, oldest first",
  {
    scope: 'applications:read',
    query: PAGE,
    answers: { 200: List(ApiKeyView) },
    errors: { 404: 'NOT_FOUND: the team, or the Workspace' },
  },
)

export function teamsRoutes(app: TypedApp, deps: ChangeDeps): void {
  handle(app, docs, async ({ workspaceId, params, query }) => {
    requireFound(await findTeam(deps.db, workspaceId, params.id), 'team')
    return listOf(await listTeamKeys(deps.db, workspaceId, params.id, pageOf(query)), apiKeyView, ({ id }) => id)
  })

  resource(app, deps, {
    noun: 'team',
    path: '/teams',
    area: 'applications',
    view: TeamView,
    show: (rows: readonly Team[], { operator }) => rows.map((team) => teamView(team, operator.scopes.includes(MEMBERS_SCOPE))),
    taken: { name: 'Team name' },
    announce: (id) => [KEYS_TOPIC, id],
    list: { read: listTeams },
    get: { find: findTeam },
    create: {
      description:
        'A key joins the team by its `team_id`. Limits and models of the team apply in addition to those of the key and its Application, and to all keys of the team together.',
      body: TeamCreate,
      write: (tx, request, now) => createTeam(tx, request.workspaceId, mayChooseMembers(request), now),
    },
    update: {
      summary: 'Change the name, limits, models or members of a team',
      description:
        'Missing fields stay unchanged. null resets a field. `limits` are merged field by field, lists are replaced. Changes apply within a second on all nodes.',
      body: TeamPatch,
      write: (tx, request, now) => updateTeam(tx, request.workspaceId, request.params.id, mayChooseMembers(request), now),
    },
    remove: {
      summary: 'Delete a team without valid keys',
      description: 'Its usage is then no longer found by the team. A budget of the team counts nothing.',
      errors: { 409: 'CONFLICT: the team has a key that is not revoked' },
      remove: async (tx, workspaceId, id) => {
        const deleted = await deleteTeam(tx, workspaceId, id)
        if (deleted === 'in_use') throw conflict('The team has keys. Revoke them, or move them to another team.')
        return deleted
      },
    },
  })
}

/** The body, if the operator may read the members that it replaces. Throws a 403 otherwise. */
function mayChooseMembers<B extends { readonly members?: unknown }>({
  body,
  operator,
}: Pick<Asked, 'operator'> & { readonly body: B }): B {
  if (body.members !== undefined && !operator.scopes.includes(MEMBERS_SCOPE))
    throw forbidden(`You need the scope ${MEMBERS_SCOPE} to choose the members of a team.`)
  return body
}
