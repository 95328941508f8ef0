import { type ApiKeyPatch, apiKeyView, countedIdOf } from '../../domains/identity/api-key.ts'
import {
  findCountedId,
  findKey,
  findKeyByHash,
  issueKey,
  listKeys,
  revokeKey,
  updateKey,
} from '../../domains/identity/api-key-store.ts'
import type { ApplicationRecord } from '../../domains/identity/application.ts'
import { findApplicationByName } from '../../domains/identity/application-store.ts'
import { limitsView, patchLimits } from '../../domains/identity/restriction.ts'
import { type Team, type TeamCreate, type TeamPatch, teamView } from '../../domains/identity/team.ts'
import { createTeam, findTeam, findTeamByName, updateTeam } from '../../domains/identity/team-store.ts'
import { ALL_ROWS } from '../../platform/db/page.ts'
import { applySecret } from './apply-secrets.ts'
import { applyEach, type Change, changeOf, createOrUpdate, DeclarationConflict, findDifferences } from './change.ts'
import type { DeclaredKey, KeyFields } from './declaration.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

/** Identifies the team by its name. */
export function applyTeam({ tx, workspaceId, now, ledger }: ApplyContext, declared: TeamCreate): Promise<Change[]> {
  const { name, ...values } = declared
  const item = { object: 'team' as const, name, declared, fields: { values, merged: ['limits'] } }
  return applyItem(ledger, item, async (changed: Omit<TeamPatch, 'name'> = values) =>
    createOrUpdate('team', await findTeamByName(tx, workspaceId, name), {
      create: () => createTeam(tx, workspaceId, declared, now),
      compare: (known) => findDifferences(teamView(known, true), teamView(patchedTeam(known, changed), true)),
      update: async ({ id }) => {
        const updated = await updateTeam(tx, workspaceId, id, changed, now)
        return 'ok' in updated ? updated : { ok: true }
      },
    }),
  )
}

const patchedTeam = (known: Team, { limits, ...lists }: TeamPatch): Team => ({
  ...known,
  ...lists,
  limits: patchLimits(known.limits, limits),
})

/** Keys with names that are not declared stay as they are. Lock the Application before. */
export const applyKeys = (
  context: ApplyContext,
  { id: applicationId, name: application }: ApplicationRecord,
  keys: readonly DeclaredKey[],
): Promise<Change[]> =>
  applyEach('keys', keys, (declared) => {
    const { tx, workspaceId, now, ledger } = context
    const owner = { workspaceId, applicationId }
    const name = `${application}/${declared.name}`
    const values = declared.fields ?? {}
    const item = { object: 'key' as const, name, declared, ...(declared.fields && { fields: { values, merged: ['limits'] } }) }
    return applyItem(ledger, item, async (changed: KeyFields = values) => {
      const changes = await applySecret({ ...declared, label: name }, 'gk_', {
        find: async (hash) => {
          const known = await findKeyByHash(tx, hash)
          if (known && known.application.id !== applicationId)
            throw new DeclarationConflict('from_env', 'names a key of another Application: each Application needs its own')
          return known && { id: known.keyId, revokedAt: known.revokedAt }
        },
        list: () => listKeys(tx, owner, ALL_ROWS),
        revoke: (id) => revokeKey(tx, workspaceId, id, now),
        issue: (credential, replaces) => issueKey(tx, owner, declared.name, now, { credential, replaces }),
      })
      const last = changes.at(-1)
      if (!last) return changes
      const isNew = last.done === 'issued'
      const fields = await applyKeyFields(context, last.id, isNew ? values : changed)
      if (fields.length === 0) return changes
      return [...changes.slice(0, -1), isNew ? { ...last, fields } : changeOf('key', 'updated', last, fields)]
    })
  })

/** Returns the names of the changed fields. */
async function applyKeyFields(context: ApplyContext, id: string, { team, ...fields }: KeyFields): Promise<readonly string[]> {
  const { tx, workspaceId } = context
  const key = await findKey(tx, workspaceId, id)
  if (!key) return []
  const patch: ApiKeyPatch = { ...fields, ...(team !== undefined && { team_id: await teamIdOf(context, team) }) }
  const before = apiKeyView(key)
  const { limits, tags, metadata, ...replaced } = patch
  const after = {
    ...before,
    ...replaced,
    limits: limitsView(patchLimits(key.limits, limits)),
    ...(tags !== undefined && { tags: tags ?? [] }),
    ...(metadata !== undefined && { metadata: metadata ?? {} }),
  }
  const differences = findDifferences(before, after)
  if (differences.length > 0) await updateKey(tx, workspaceId, id, patch)
  return differences
}

async function teamIdOf({ tx, workspaceId }: ApplyContext, name: string | null): Promise<string | null> {
  if (name === null) return null
  const team = await findTeamByName(tx, workspaceId, name)
  if (!team) throw new DeclarationConflict('team', 'names no team of this Workspace')
  return team.id
}

/** The id of a budget's member that the file gives by name or id. */
export async function teamMemberOf({ tx, workspaceId }: ApplyContext, member: string): Promise<string> {
  const team = (await findTeamByName(tx, workspaceId, member)) ?? (await findTeam(tx, workspaceId, member))
  if (!team) throw new DeclarationConflict('member', 'names no team of this Workspace')
  return team.id
}

/** The same for a key, named as `helpdesk/production`. */
export async function keyMemberOf({ tx, workspaceId }: ApplyContext, member: string): Promise<string> {
  const slash = member.lastIndexOf('/')
  if (slash < 0) return findCountedId(tx, workspaceId, member)
  const application = await findApplicationByName(tx, workspaceId, member.slice(0, slash))
  const listed = application && (await listKeys(tx, { workspaceId, applicationId: application.id }, ALL_ROWS))
  const key = listed?.data.findLast(({ name }) => name === member.slice(slash + 1))
  if (!key) throw new DeclarationConflict('member', 'names no key of this Workspace')
  return countedIdOf(key)
}
