import type { JWK } from 'jose'
import { findKeyByHash } from '../../domains/identity/api-key-store.ts'
import type { WorkspaceUser } from '../../domains/identity/user.ts'
import { findAdminTokenByHash } from '../../domains/operators/admin-token-store.ts'
import type { Db } from '../../platform/db/database.ts'
import { newCredential } from '../../platform/lib/credential.ts'
import { DEMO_ISSUER } from '../../shared/demo-words.ts'
import { hashSecret } from '../setup/imported-secret.ts'
import { DEMO_AUDIENCE } from './demo-declaration.ts'
import type { DemoFile } from './demo-file.ts'
import { signUserToken } from './user-tokens.ts'

/** The demo's tokens cannot be renewed, because their signing key is not stored. */
const TOKEN_YEARS = 10

export interface DemoKeys {
  readonly api_key: string
  readonly revoked_api_key: string
}

export const newDemoKeys = (): DemoKeys => ({
  api_key: newCredential('gk_').secret,
  revoked_api_key: newCredential('gk_').secret,
})

export const newAdminToken = (): string => newCredential('ga_').secret

/** Signs a user token with the user's current role, department and attributes. */
export function signDemoToken(privateJwk: JWK, user: WorkspaceUser, now: Date): Promise<string> {
  const expiresAt = new Date(now)
  expiresAt.setUTCFullYear(now.getUTCFullYear() + TOKEN_YEARS)
  const { id: sub, role, department, attributes } = user
  const claims = { issuer: DEMO_ISSUER, audience: DEMO_AUDIENCE, issuedAt: now, expiresAt }
  return signUserToken(privateJwk, { sub, role, department, attributes, ...claims })
}

/** Returns whether this database has the file's keys and admin token. Revoked ones count. */
export async function areSecretsKnown(db: Db, { admin_token, applications }: DemoFile): Promise<boolean> {
  const token = hashSecret(admin_token, 'ga_')
  if (!token || !(await findAdminTokenByHash(db, token))) return false
  for (const { id, api_key, revoked_api_key } of applications) {
    for (const key of [api_key, revoked_api_key]) {
      const hash = hashSecret(key, 'gk_')
      const found = hash && (await findKeyByHash(db, hash))
      if (found?.application.id !== id) return false
    }
  }
  return true
}
