import type { Context } from '../../src/context.ts'
import { demoDeclaration } from '../../src/tools/demo/demo-declaration.ts'
import { seedPolicyTests } from '../../src/tools/demo/demo-extras.ts'
import { seedKnowledge } from '../../src/tools/demo/demo-knowledge.ts'
import { seedMemories } from '../../src/tools/demo/demo-memories.ts'
import { seedMessaging } from '../../src/tools/demo/demo-messaging.ts'
import { issueUserTokens, listDemoApplications, newDemoKeys, revokeMarkedKeys, withKeys } from '../../src/tools/demo/demo-seed.ts'
import { generateUserTokenKeys } from '../../src/tools/demo/user-tokens.ts'
import { applyWorkspace } from '../../src/tools/setup/apply-workspace.ts'
import { publishChanges, setupTransaction } from '../../src/tools/setup/recorded-change.ts'
import type { Demo } from './demo.ts'
import { word } from './scripted-provider.ts'

/** Creates a Workspace with the content of the demo: Applications, keys, users, policies, documents, memories, an assistant. */
export async function seedDemoWorkspace(context: Context): Promise<Pick<Demo, 'workspace' | 'applications' | 'users'>> {
  const { privateJwk, publicJwk } = await generateUserTokenKeys()
  const declared = { ...demoDeclaration({ keys: [publicJwk] }), name: `demo ${word()}` }
  const keys = newDemoKeys(declared)
  const now = context.clock.now()
  const seeded = await setupTransaction(context.database.db, async (tx) => {
    const { workspaceId, changes } = await applyWorkspace(tx, withKeys(declared, keys), now, context, {
      finish: async (scope) => {
        await revokeMarkedKeys(scope, keys)
        await seedPolicyTests(scope)
        return [...(await seedKnowledge(scope)), ...(await seedMemories(scope)), ...(await seedMessaging(scope))]
      },
    })
    const demo = {
      workspace: { id: workspaceId, name: declared.name },
      applications: await listDemoApplications(tx, workspaceId, keys),
      users: await issueUserTokens(tx, workspaceId, declared.users, privateJwk, now),
    }
    return { changes, demo }
  })
  await publishChanges(context.database.signal, seeded.demo.workspace.id, seeded.changes)
  return seeded.demo
}
