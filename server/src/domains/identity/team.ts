import { type Static, Type } from 'typebox'
import type { Entity } from '../../platform/db/from-row.ts'
import { Name, resettable, Timestamp } from '../../platform/lib/fields.ts'
import { viewOf } from '../../platform/lib/view.ts'
import type { Restriction } from '../../shared/principal.ts'
import { nullable } from '../../shared/schemas.ts'
import { fillLimits, limitsView, RESTRICTION_PATCH, RESTRICTION_VIEW } from './restriction.ts'

/** API keys, of any Applications, that share limits, models, members and budgets. Ids are TypeIDs (`tea_…`). */
export type Team = Entity<'team'>

const fields = {
  ...RESTRICTION_PATCH,
  members: resettable(
    Type.Array(Name, {
      maxItems: 1_000,
      uniqueItems: true,
      description: "Ids of the users who may use the team's keys. null: everyone, also requests without a user. Empty: no user.",
    }),
  ),
}

export const TeamCreate = Type.Object({ name: Name, ...fields })
export type TeamCreate = Static<typeof TeamCreate>

/** `limits` are merged field by field; lists are replaced. */
export const TeamPatch = Type.Object({ name: Type.Optional(Name), ...fields })
export type TeamPatch = Static<typeof TeamPatch>

export const TeamView = Type.Object({
  id: Type.String(),
  object: Type.Literal('team'),
  name: Type.String(),
  ...RESTRICTION_VIEW,
  members: Type.Optional(
    nullable(Type.Array(Type.String(), { description: 'Absent without the scope people:read. null: everyone.' })),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
})

/** `mayReadMembers`: false leaves out `members`. */
export function teamView({ members, ...team }: Team, mayReadMembers: boolean) {
  const limits = limitsView(team.limits)
  return viewOf(TeamView, team, { limits, ...(mayReadMembers && { members }) })
}

export const restrictionOfTeam = ({
  id,
  name,
  limits,
  models,
  members,
}: Omit<Team, 'workspaceId' | 'createdAt' | 'updatedAt'>): Restriction => ({
  of: 'team',
  id,
  owner: `the team ${JSON.stringify(name)}`,
  limits: fillLimits(limits),
  models,
  members,
})
