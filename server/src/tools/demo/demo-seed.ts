import { findKeyByHash, revokeKey } from '../../domains/identity/api-key-store.ts'
import { findApplicationByName } from '../../domains/identity/application-store.ts'
import type { WorkspaceUser } from '../../domains/identity/user.ts'
import { findUser } from '../../domains/identity/user-store.ts'
import type { Workspace } from '../../domains/identity/workspace.ts'
import { findActivePolicyId } from '../../domains/policy/policy-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { DEMO_OWNER_EMAIL, DEMO_REVIEWER_EMAIL } from '../../shared/demo-words.ts'
import { applyAdminTokens } from '../setup/apply-admin-tokens.ts'
import { applyWorkspace } from '../setup/apply-workspace.ts'
import type { Change } from '../setup/change.ts'
import type { DeclaredWorkspace } from '../setup/declaration.ts'
import { hashSecret } from '../setup/imported-secret.ts'
import type { ApplyContext, ApplyDeps } from '../setup/recorded-change.ts'
import { DEMO_TOKEN_NAME, demoDeclaration, KEY_NAMES } from './demo-declaration.ts'
import { seedExtras } from './demo-extras.ts'
import type { DemoFile } from './demo-file.ts'
import { seedKnowledge } from './demo-knowledge.ts'
import { seedMemories } from './demo-memories.ts'
import { issueDemoTokens, seedMessaging } from './demo-messaging.ts'
import { type DemoOperator, newDemoOperator, seedOperator } from './demo-operators.ts'
import { seedPolicyTests } from './demo-policy-tests.ts'
import { type DemoKeys, newAdminToken, newDemoKeys, signDemoToken } from './demo-secrets.ts'
import { generateUserTokenKeys } from './user-tokens.ts'

const [ACTIVE_KEY_NAME, REVOKED_KEY_NAME] = KEY_NAMES

type KeysByName = ReadonlyMap<string, DemoKeys>

export interface SeededDemo {
  readonly demo: Omit<DemoFile, 'base_url' | 'dashboard'> & { readonly dashboard: DemoOperator }
  readonly changes: readonly Change[]
}

interface SeedDeps extends ApplyDeps {
  /** If present, a new demo gets a history and the other data that its pages show. */
  readonly extras?: { readonly webhookBox: SecretBox } | undefined
}

/** Seeds the demo. If its Workspace exists, adds missing objects only, and replaces all keys and tokens. */
export async function seedDemo(tx: Tx, existing: Workspace | undefined, now: Date, deps: SeedDeps): Promise<SeededDemo> {
  const [owner, reviewer] = [newDemoOperator(DEMO_OWNER_EMAIL), newDemoOperator(DEMO_REVIEWER_EMAIL)]
  const { privateJwk, publicJwk } = await generateUserTokenKeys()
  const declaration = demoDeclaration({ keys: [publicJwk] })
  const keys: KeysByName = new Map(declaration.applications.map(({ fields }) => [fields.name, newDemoKeys()]))
  const declared = withKeys(existing ? await declareMissing(tx, existing, declaration) : declaration, keys)
  const admin_token = newAdminToken()

  const { workspaceId, changes } = await applyWorkspace(tx, declared, now, deps, {
    finish: async (context) => {
      if (!existing) await seedPolicyTests(context)
      const ownerChange = await seedOperator(tx, owner, now)
      return [
        ...(await revokeMarkedKeys(context, keys)),
        ...(await applyAdminTokens(tx, [{ name: DEMO_TOKEN_NAME, secret: admin_token }], now)),
        ownerChange,
        await seedOperator(tx, reviewer, now),
        ...(!existing && deps.extras ? await seedExtras(context, ownerChange.id, deps.extras.webhookBox) : []),
        ...(existing
          ? []
          : [...(await seedKnowledge(context)), ...(await seedMemories(context)), ...(await seedMessaging(context))]),
      ]
    },
  })
  const demo = {
    admin_token,
    dashboard: owner,
    reviewer,
    workspace: { id: workspaceId, name: declared.name },
    applications: await listDemoApplications(tx, workspaceId, keys),
    users: await listDemoUsers(
      tx,
      workspaceId,
      declaration,
      await issueDemoTokens(tx, workspaceId, declaration.users, now),
      (user) => signDemoToken(privateJwk, user, now),
    ),
  }
  return { demo, changes }
}

/** Declares the missing objects and a new key set for user tokens. Changes of operators and users stay. */
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

const withKeys = (declared: DeclaredWorkspace, keys: KeysByName): DeclaredWorkspace => ({
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

async function revokeMarkedKeys({ tx, workspaceId, now }: ApplyContext, keys: KeysByName): Promise<Change[]> {
  const changes: Change[] = []
  for (const [application, { revoked_api_key }] of keys) {
    const hash = hashSecret(revoked_api_key, 'gk_')
    const found = hash && (await findKeyByHash(tx, hash))
    if (!found) continue
    await revokeKey(tx, workspaceId, found.keyId, now)
    changes.push({ done: 'revoked', object: 'key', id: found.keyId, name: `${application}/${REVOKED_KEY_NAME}`, fields: [] })
  }
  return changes
}

async function listDemoApplications(tx: Tx, workspaceId: string, keys: KeysByName): Promise<DemoFile['applications']> {
  const applications: DemoFile['applications'] = []
  for (const [name, secrets] of keys) {
    const application = await findApplicationByName(tx, workspaceId, name)
    if (application) applications.push({ id: application.id, name, ...secrets })
  }
  return applications
}

async function listDemoUsers(
  tx: Tx,
  workspaceId: string,
  { users: declared }: DeclaredWorkspace,
  accessTokens: ReadonlyMap<string, string>,
  sign: (user: WorkspaceUser) => Promise<string>,
): Promise<DemoFile['users']> {
  const users: DemoFile['users'] = []
  for (const { id } of declared) {
    const user = await findUser(tx, workspaceId, id)
    if (!user) continue
    const { username, role, department, attributes } = user
    users.push({
      id,
      username,
      role,
      department,
      attributes: { ...attributes },
      user_token: await sign(user),
      access_token: accessTokens.get(id) ?? '',
    })
  }
  return users
}
