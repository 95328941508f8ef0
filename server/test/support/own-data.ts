import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { adminClient } from '../admin/client.ts'
import type { Governed } from './governed.ts'
import { body, responsesClient } from './responses-client.ts'

/** A data folder of the test, with the demo, which servers can open one after another. */
export function createDataFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-own-'))
  const dataDir = join(folder, 'data')
  cpSync(inject('seededDataDir'), dataDir, { recursive: true })
  return {
    folder,
    dataDir,
    secretKey: readFileSync(join(dataDir, 'secret.key'), 'utf8').trim(),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** Creates a value of every kind that the secret key seals. Returns what a test needs to read them. */
export async function createSealedValues(governed: Governed) {
  const admin = adminClient(governed.server)
  await admin.create('/providers', {
    id: 'sealed',
    kind: 'openai',
    base_url: 'https://llm.example.com/v1',
    api_key: 'sk-sealed-provider-key',
  })
  const webhook = await admin.create('/webhooks', { url: 'https://hooks.example.com/gatehouse' })
  const held = await governed.holdPrompt()
  const released = await governed.holdPrompt()
  await governed.decide(released.id, 'approve')
  await governed.resubmit(released)
  const client = await responsesClient(governed)
  const stored = await client.client().responses.create(body('keep this', { store: true }))
  return { held, responseId: stored.id, responsesToken: client.token, webhookId: String(webhook.id) }
}
