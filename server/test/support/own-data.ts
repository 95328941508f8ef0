import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { prepareVectors } from '../../src/domains/retrieval/semantic/prepare-vectors.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { adminClient } from '../admin/client.ts'
import type { Governed } from './governed.ts'
import type { MessagingServer } from './messenger.ts'
import { signInOperator } from './operators.ts'
import { body, responsesClient } from './responses-client.ts'

/** A data folder in `folder`, with the demo, which servers can open one after another. */
export function createDataFolder(folder: string) {
  const dataDir = join(folder, 'data')
  cpSync(inject('seededDataDir'), dataDir, { recursive: true })
  return { folder, dataDir, secretKey: readFileSync(join(dataDir, 'secret.key'), 'utf8').trim() }
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
  const { id: collection } = await admin.create('/collections', { name: 'sealed' })
  await admin.create('/knowledge/sources', {
    ...{ collection_id: collection, name: 'sealed', kind: 's3', url: 'https://s3.example.com/bucket', enabled: false },
    ...{ username: 'AKIDEXAMPLE', secret: 'sealed source secret' },
  })
  const held = await governed.holdPrompt()
  const released = await governed.holdPrompt()
  await governed.decide(released.id, 'approve')
  await governed.resubmit(released)
  const client = await responsesClient(governed)
  const stored = await client.client().responses.create(body('keep this', { store: true }))
  return { held, responseId: stored.id, responsesToken: client.token, webhookId: String(webhook.id) }
}

/** The text of the attachment that `createEverything` sends. */
export const ATTACHED = `quarterly figures\n${'0123456789'.repeat(20_000)}`

/** Creates rows with every kind of value: files, vectors, arrays, generated columns, numbers of sequences. */
export async function createEverything(m: MessagingServer) {
  const sealed = await createSealedValues(m)
  const conversation = await m.direct()
  const form = new FormData()
  form.append('file', new Blob([ATTACHED], { type: 'text/plain' }), 'figures.txt')
  const attachment = await m.ann.create('/attachments', undefined, { raw: form })
  const message = await m.ann.create('/messages', {
    conversation_id: conversation,
    message: 'with a file',
    attachments: [attachment.id],
  })
  await m.ben.put(`/messages/${message.id}`, { reactions: { heart: ['one'] } })
  await m.sayAll(conversation, ['a “quoted” text\nof two lines', 'naïve \u{1F600} \u2028 end'])
  const admin = adminClient(m.server)
  const collection = await admin.create('/collections', { name: 'travel' })
  const documents = [{ key: 'a.md', content: '# Trains\n\nBook the pangolin express early.' }]
  await admin.post(`/collections/${collection.id}/documents`, { documents })
  await createVectors(m.server.context.database)
  const { browser } = await signInOperator(m.server, 'policy_author')
  for (const shared of [false, true])
    await browser.post('/admin/v1/views', { page: 'audit', name: `shared: ${shared}`, query: { verdict: 'deny' }, shared })
  return { ...sealed, conversation, attachmentId: String(attachment.id) }
}

/** A vector for each entry of the search index, of a model that is ready. */
export async function createVectors({ db, pool }: Database): Promise<void> {
  expect(await prepareVectors(db, () => {})).toBeDefined()
  await pool.query("insert into embedding_model (name, dimensions, shortened, state) values ('test', 3, false, 'ready')")
  await pool.query(`insert into retrieval_vector (model_id, partition_id, entry_id, embedding)
    select m.id, e.partition_id, e.id, '[0.1,-2.5e-8,0.33333334]' from retrieval_entry e, embedding_model m`)
}
