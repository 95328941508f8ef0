import type { JWK } from 'jose'
import type { Db } from '../db/database.ts'
import { findKeyByHash } from '../identity/api-key-store.ts'
import type { WorkspaceUser } from '../identity/user.ts'
import { newCredential } from '../lib/credential.ts'
import { findAdminTokenByHash } from '../operators/admin-token-store.ts'
import { hashSecret } from '../setup/imported-secret.ts'
import { DEMO_AUDIENCE, DEMO_ISSUER } from './demo-declaration.ts'
import type { DemoFile } from './demo-file.ts'
import { signUserToken } from './user-tokens.ts'

/** Nobody renews the demo's tokens, and the key that signed them is kept nowhere. */
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

/** A token that says of the user what the directory says now. */
export function signDemoToken(privateJwk: JWK, user: WorkspaceUser, now: Date): Promise<string> {
  const expiresAt = new Date(now)
  expiresAt.setUTCFullYear(now.getUTCFullYear() + TOKEN_YEARS)
  const { id: sub, role, department, attributes } = user
  const about = { issuer: DEMO_ISSUER, audience: DEMO_AUDIENCE, issuedAt: now, expiresAt }
  return signUserToken(privateJwk, { sub, role, department, attributes, ...about })
}

/** Whether the file's keys and admin token are those of this database; revoked by an operator, they still are. */
export async function areSecretsKnown(db: Db, { admin_token, applications }: DemoFile): Promise<boolean> {
  const token = hashSecret(admin_token, 'ga_')
  if (!token || !(await findAdminTokenByHash(db, token))) return false
  for (const { id, api_key, revoked_api_key } of applications) {
    for (const key of [api_key, revoked_api_key]) {
      const hash = hashSecret(key, 'gk_')
      const holder = hash && (await findKeyByHash(db, hash))
      if (holder?.application.id !== id) return false
    }
  }
  return true
}
