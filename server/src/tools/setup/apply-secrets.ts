import { isDeepStrictEqual } from 'node:util'
import { findWorkspaceByName } from '../../domains/identity/workspace-store.ts'
import {
  createAdminToken,
  findAdminTokenByHash,
  listAdminTokens,
  revokeAdminToken,
} from '../../domains/operators/admin-token-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { ALL_ROWS, type Page } from '../../platform/db/page.ts'
import { type CredentialPrefix, credentialOf, type NewCredential, readBearer } from '../../platform/lib/credential.ts'
import { applyEach, type Change, changeOf, DeclarationConflict } from './change.ts'
import type { DeclaredAdminToken, DeclaredSecret } from './declaration.ts'
import { applyItem, type Ledger } from './ledger.ts'

/** SHA-256 of a key or token that was created elsewhere. Returns undefined if the authenticators would refuse its format. */
export function hashSecret(secret: string, prefix: CredentialPrefix): Buffer | undefined {
  const hash = readBearer(`Bearer ${secret}`, prefix)
  return hash === undefined ? undefined : Buffer.from(hash, 'hex')
}

export function describeSecretProblem(secret: string, prefix: CredentialPrefix): string | undefined {
  if (hashSecret(secret, prefix)) return undefined
  const command = `echo "${prefix}$(openssl rand -base64 32 | tr '+/' '-_' | tr -d =)"`
  return `${secret === '' ? 'is not set' : 'does not hold a usable value'}; create one with: ${command}`
}

export const applyAdminTokens = (
  tx: Tx,
  tokens: readonly DeclaredAdminToken[],
  now: Date,
  ledger?: Ledger | undefined,
): Promise<Change[]> =>
  applyEach('admin_tokens', tokens, (declared) => {
    const { name, workspaces } = declared
    return applyItem(ledger, { object: 'admin_token', name, declared }, async () => {
      const workspaceIds = workspaces ? await Promise.all(workspaces.map((workspace) => requireWorkspace(tx, workspace))) : null
      return applySecret({ ...declared, label: name }, 'ga_', {
        find: async (hash) => {
          const known = await findAdminTokenByHash(tx, hash)
          if (known?.revokedAt === null && !isDeepStrictEqual(known.workspaceIds?.toSorted(), workspaceIds?.toSorted()))
            throw new DeclarationConflict('workspaces', 'cannot change for an existing token: set a new one')
          return known
        },
        list: () => listAdminTokens(tx, ALL_ROWS),
        revoke: (id) => revokeAdminToken(tx, id, now),
        issue: (credential) => createAdminToken(tx, { name, workspaceIds, credential }, now),
      })
    })
  })

async function requireWorkspace(tx: Tx, name: string): Promise<string> {
  const id = (await findWorkspaceByName(tx, name))?.id
  if (id === undefined) throw new DeclarationConflict('workspaces', `names ${name}, which is not a Workspace: declare it too`)
  return id
}

interface StoredSecret {
  readonly id: string
  readonly name: string
  readonly revokedAt: Date | null
}

interface SecretStore<Stored extends StoredSecret> {
  readonly find: (hash: Buffer) => Promise<Pick<StoredSecret, 'id' | 'revokedAt'> | undefined>
  readonly list: () => Promise<Page<Stored> | undefined>
  readonly revoke: (id: string) => Promise<unknown>
  /** `replaced`: the newest of the revoked ones. */
  readonly issue: (credential: NewCredential, replaced: Stored | undefined) => Promise<{ readonly id: string } | undefined>
}

/** Identifies secrets by their names. A variable with another secret than last time revokes the old one and adds the new one. */
export async function applySecret<Stored extends StoredSecret>(
  { name, secret, label }: DeclaredSecret & { readonly label: string },
  prefix: 'gk_' | 'ga_',
  store: SecretStore<Stored>,
): Promise<Change[]> {
  const [object, noun] = prefix === 'gk_' ? (['key', 'key'] as const) : (['admin_token', 'token'] as const)
  const change = (done: Change['done'], id: string): Change => changeOf(object, done, { id, name: label })
  const hash = hashSecret(secret, prefix)
  if (!hash) throw new DeclarationConflict('from_env', `names a variable that ${describeSecretProblem(secret, prefix)}`)
  const known = await store.find(hash)
  if (known?.revokedAt) throw new DeclarationConflict('from_env', `names a ${noun} that has been revoked: set a new one`)
  if (known) return [change('unchanged', known.id)]

  const replaced = ((await store.list())?.data ?? []).filter((old) => old.name === name && old.revokedAt === null)
  for (const { id } of replaced) await store.revoke(id)
  const issued = await store.issue(credentialOf(secret), replaced.at(-1))
  if (!issued)
    throw new DeclarationConflict(
      'from_env',
      'names a credential whose owner is archived or was deleted: restore the Application, or apply the file again',
    )
  return [...replaced.map(({ id }) => change('revoked', id)), change('issued', issued.id)]
}
