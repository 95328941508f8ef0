import { randomBytes } from 'node:crypto'
import type { JWK } from 'jose'
import { findKeyByHash, revokeKey } from '../../domains/identity/api-key-store.ts'
import { findApplicationByName } from '../../domains/identity/application-store.ts'
import { findUser } from '../../domains/identity/user-store.ts'
import type { Workspace } from '../../domains/identity/workspace.ts'
import { issueAccessToken, listAccessTokens, revokeAccessToken } from '../../domains/messaging/people/access-token-store.ts'
import { SERVER } from '../../domains/operators/invitation-store.ts'
import { createPerson, findPersonByEmail, setPassword } from '../../domains/operators/operator-store.ts'
import { findActivePolicyId } from '../../domains/policy/policy-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newCredential } from '../../platform/lib/credential.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { NO_ROLES } from '../../shared/access.ts'
import { DEMO_ISSUER, DEMO_OWNER_EMAIL, DEMO_REVIEWER_EMAIL } from '../../shared/demo-words.ts'
import { applyAdminTokens, hashSecret } from '../setup/apply-secrets.ts'
import { applyWorkspace } from '../setup/apply-workspace.ts'
import { type Change, changeOf } from '../setup/change.ts'
import type { DeclaredUser, DeclaredWorkspace } from '../setup/declaration.ts'
import type { ApplyContext, ApplyDeps } from '../setup/recorded-change.ts'
import { seedKnowledge, seedMemories, seedMessaging } from './demo-contents.ts'
import { DEMO_AUDIENCE, DEMO_TOKEN_NAME, demoDeclaration, KEY_NAMES } from './demo-declaration.ts'
import { seedExtras, seedPolicyTests } from './demo-extras.ts'
import type { DemoFile } from './demo-file.ts'
import { generateUserTokenKeys, signUserToken } from './user-tokens.ts'

const [ACTIVE_KEY_NAME, REVOKED_KEY_NAME] = KEY_NAMES
const TOKEN_NAME = 'demo'
/** The demo's tokens cannot be renewed, because their signing key is not stored. */
const TOKEN_YEARS = 10

type KeysByName = ReadonlyMap<string, { readonly api_key: string; readonly revoked_api_key: string }>

interface SeedDeps extends ApplyDeps {
  /** If present, a new demo gets a history and the other data that its pages show. */
  readonly extras?: { readonly webhookBox: SecretBox } | undefined
}

/** Seeds the demo. If its Workspace exists, adds missing objects only, and replaces all keys and tokens. */
export async function seedDemo(tx: Tx, existing: Workspace | undefined, now: Date, deps: SeedDeps) {
  const [owner, reviewer] = newDemoOperators()
  const { privateJwk, publicJwk } = await generateUserTokenKeys()
  const declaration = demoDeclaration({ keys: [publicJwk] })
  const keys = newDemoKeys(declaration)
  const declared = withKeys(existing ? await declareMissing(tx, existing, declaration) : declaration, keys)
  const admin_token = newCredential('ga_').secret

  const { workspaceId, changes } = await applyWorkspace(tx, declared, now, deps, {
    finish: async (context) => {
      if (!existing) await seedPolicyTests(context)
      const ownerChange = await seedOperator(tx, owner, now)
      const replaced = [
        ...(await revokeMarkedKeys(context, keys)),
        ...(await applyAdminTokens(tx, [{ name: DEMO_TOKEN_NAME, secret: admin_token }], now)),
        ownerChange,
        await seedOperator(tx, reviewer, now),
      ]
      if (existing) return replaced
      return [
        ...replaced,
        ...(deps.extras ? await seedExtras(context, ownerChange.id, deps.extras.webhookBox) : []),
        ...(await seedKnowledge(context)),
        ...(await seedMemories(context)),
        ...(await seedMessaging(context)),
      ]
    },
  })
  const demo = {
    admin_token,
    dashboard: { email: owner.email, password: owner.password },
    reviewer: { email: reviewer.email, password: reviewer.password },
    workspace: { id: workspaceId, name: declared.name },
    applications: await listDemoApplications(tx, workspaceId, keys),
    users: await issueUserTokens(tx, workspaceId, declaration.users, privateJwk, now),
  }
  return { demo, changes }
}

export const newDemoKeys = ({ applications }: DeclaredWorkspace): KeysByName =>
  new Map(
    applications.map(({ fields }) => {
      const [api_key, revoked_api_key] = [newCredential('gk_').secret, newCredential('gk_').secret]
      return [fields.name, { api_key, revoked_api_key }]
    }),
  )

async function declareMissing(tx: Tx, { id, name }: Workspace, declaration: DeclaredWorkspace): Promise<DeclaredWorkspace> {
  const applications = []
  for (const { fields, keys } of declaration.applications) {
    const existing = await findApplicationByName(tx, id, fields.name)
    applications.push({ fields: existing ? { name: existing.name } : fields, keys })
  }
  const users = []
  for (const user of declaration.users) if (!(await findUser(tx, id, user.id))) users.push(user)
  const { jwks = null } = declaration.settings
  const policy = (await findActivePolicyId(tx, id)) === undefined ? declaration.policy : undefined
  return { name, settings: { jwks }, applications, users, providers: [], policy }
}

export const withKeys = (declared: DeclaredWorkspace, keys: KeysByName): DeclaredWorkspace => ({
  ...declared,
  applications: declared.applications.map(({ fields }) => {
    const { api_key = '', revoked_api_key = '' } = keys.get(fields.name) ?? {}
    const secrets = [
      { name: ACTIVE_KEY_NAME, secret: api_key },
      { name: REVOKED_KEY_NAME, secret: revoked_api_key },
    ]
    return { fields, keys: secrets }
  }),
})

export async function revokeMarkedKeys({ tx, workspaceId, now }: ApplyContext, keys: KeysByName): Promise<Change[]> {
  const changes: Change[] = []
  for (const [application, { revoked_api_key }] of keys) {
    const hash = hashSecret(revoked_api_key, 'gk_')
    const found = hash && (await findKeyByHash(tx, hash))
    if (!found) continue
    await revokeKey(tx, workspaceId, found.keyId, now)
    changes.push(changeOf('key', 'revoked', { id: found.keyId, name: `${application}/${REVOKED_KEY_NAME}` }))
  }
  return changes
}

export async function listDemoApplications(tx: Tx, workspaceId: string, keys: KeysByName): Promise<DemoFile['applications']> {
  const applications: DemoFile['applications'] = []
  for (const [name, secrets] of keys) {
    const application = await findApplicationByName(tx, workspaceId, name)
    if (application) applications.push({ id: application.id, name, ...secrets })
  }
  return applications
}

/** The users with new tokens. Access tokens of an earlier demo.json are revoked. User tokens have the users' current attributes. */
export async function issueUserTokens(
  tx: Tx,
  workspaceId: string,
  declared: readonly DeclaredUser[],
  privateJwk: JWK,
  now: Date,
): Promise<DemoFile['users']> {
  const expiresAt = new Date(now)
  expiresAt.setUTCFullYear(now.getUTCFullYear() + TOKEN_YEARS)
  const claims = { issuer: DEMO_ISSUER, audience: DEMO_AUDIENCE, issuedAt: now, expiresAt }
  const users: DemoFile['users'] = []
  for (const { id } of declared) {
    const user = await findUser(tx, workspaceId, id)
    if (!user) continue
    const page = await listAccessTokens(tx, workspaceId, id, { limit: 100 })
    for (const token of page?.data ?? []) if (token.name === TOKEN_NAME) await revokeAccessToken(tx, workspaceId, token.id, now)
    const issued = await issueAccessToken(tx, workspaceId, id, TOKEN_NAME, now)
    const { username, role, department, attributes } = user
    const user_token = await signUserToken(privateJwk, { sub: id, role, department, attributes, ...claims })
    users.push({ id, username, role, department, attributes, user_token, access_token: issued?.token ?? '' })
  }
  return users
}

/** The owner, and a reviewer: an owner cannot approve holds of their own requests. */
const newDemoOperators = () =>
  [
    { name: 'Demo owner', role: 'owner', email: DEMO_OWNER_EMAIL, password: newPassword() },
    { name: 'Demo reviewer', role: 'reviewer', email: DEMO_REVIEWER_EMAIL, password: newPassword() },
  ] as const

const newPassword = (): string => randomBytes(15).toString('base64url')

async function seedOperator(
  tx: Tx,
  { name, role, email, password }: ReturnType<typeof newDemoOperators>[number],
  now: Date,
): Promise<Change> {
  // Imported here, because only the first start needs it and it loads slowly.
  const { hashPassword } = await import('better-auth/crypto')
  const known = await findPersonByEmail(tx, email)
  const operator = known ?? (await createPerson(tx, { name, email, roles: { ...NO_ROLES, all: role } }, now))
  if (!operator) throw new Error(`the operator ${email} of the demo could not be created`)
  const { id } = operator
  await setPassword(tx, id, await hashPassword(password), SERVER, now)
  return changeOf('operator', known ? 'updated' : 'created', { id, name: email }, known ? ['password'] : [])
}
