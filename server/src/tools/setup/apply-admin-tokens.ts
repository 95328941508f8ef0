import { isDeepStrictEqual } from 'node:util'
import { findWorkspaceByName } from '../../domains/identity/workspace-store.ts'
import { findAdminTokenByHash, listAdminTokens, revokeAdminToken } from '../../domains/operators/admin-token-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { applyEach, type Change, DeclarationConflict } from './change.ts'
import type { DeclaredAdminToken } from './declaration.ts'
import { describeSecretProblem, hashSecret, importAdminToken } from './imported-secret.ts'
import { applyItem, type Ledger } from './ledger.ts'

const ALL = { limit: 100_000 }

/** Identifies tokens by their names. A variable with another token than last time revokes the old token and adds the new one. */
export const applyAdminTokens = (
  tx: Tx,
  tokens: readonly DeclaredAdminToken[],
  now: Date,
  ledger?: Ledger | undefined,
): Promise<Change[]> =>
  applyEach('admin_tokens', tokens, (token) =>
    applyItem(ledger, { object: 'admin_token', name: token.name, declared: token }, () => applyAdminToken(tx, token, now)),
  )

async function applyAdminToken(tx: Tx, { name, secret, workspaces }: DeclaredAdminToken, now: Date): Promise<Change[]> {
  const hash = hashSecret(secret, 'ga_')
  if (!hash) throw new DeclarationConflict('from_env', `names a variable that ${describeSecretProblem(secret, 'ga_')}`)
  const change = (done: Change['done'], id: string): Change => ({ done, object: 'admin_token', id, name, fields: [] })

  const workspaceIds = workspaces ? await Promise.all(workspaces.map((workspace) => requireWorkspace(tx, workspace))) : null
  const known = await findAdminTokenByHash(tx, hash)
  if (known?.revokedAt) throw new DeclarationConflict('from_env', 'names a token that has been revoked: set a new one')
  if (known && !isDeepStrictEqual(known.workspaceIds?.toSorted(), workspaceIds?.toSorted()))
    throw new DeclarationConflict('workspaces', 'cannot change for an existing token: set a new one')
  if (known) return [change('unchanged', known.id)]

  const revoked: Change[] = []
  const { data = [] } = (await listAdminTokens(tx, ALL)) ?? {}
  for (const old of data.filter((token) => token.name === name && token.revokedAt === null)) {
    await revokeAdminToken(tx, old.id, now)
    revoked.push(change('revoked', old.id))
  }
  return [...revoked, change('issued', await importAdminToken(tx, { name, hash, workspaceIds }, now))]
}

async function requireWorkspace(tx: Tx, name: string): Promise<string> {
  const id = (await findWorkspaceByName(tx, name))?.id
  if (id === undefined) throw new DeclarationConflict('workspaces', `names ${name}, which is not a Workspace: declare it too`)
  return id
}
