import { describe, expect, test } from 'vitest'
import { adminClient, type Json } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'
import { createMembers, unlimitedRate } from './client.ts'

const RULES = [
  { id: 'cards', at: ['message'], when: 'content.findings["pii.card"] > 0', verdict: 'deny' },
  { id: 'bombs', at: ['message'], when: 'content.text.contains("quince bomb")', verdict: 'deny' },
  { id: 'mail', at: ['message'], when: 'content.findings["pii.email"] > 0', verdict: 'allow', transforms: ['redact:pii'] },
  { id: 'held', at: ['message'], when: 'content.text.contains("please review")', verdict: 'require_approval' },
  { id: 'films', at: ['message'], when: '"audio" in content.unread_kinds || content.unread_bytes > 1000000', verdict: 'deny' },
]
const CARD = '4111 1111 1111 1111'
const MEBI = 1_048_576
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const server = await closeAfterAll(startServer({}, { userRateLimiter: unlimitedRate() }))
const admin = adminClient(server)
const { ann, ben } = await createMembers(server, ['ann', 'ben'])
await admin.create('/policy-sets', { source: JSON.stringify({ name: 'demo', rules: RULES }) })
const chat = await ann.create('/conversations', { contact_id: ben.id })

const upload = async (...file: Parameters<typeof ann.upload>): Promise<string> => (await ann.upload(...file)).id
const fields = (attachments: readonly string[], message = 'see the file') => ({ conversation_id: chat.id, message, attachments })
const send = (...attachments: string[]): Promise<Json> => ann.create('/messages', fields(attachments))
const expectDenied = async (rule: string, ...attachments: string[]): Promise<void> => {
  const error = await ann.expectError('POLICY_DENIED', 'POST', '/messages', fields(attachments))
  expect(error.details).toMatchObject({ rules: [rule], point: 'message' })
}
const latin1 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'latin1'))
const bytes = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer)
const utf16 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'))

describe('attached texts: message is refused when a rule denies the content of its file [MSG-GOV-8]', () => {
  test.each([
    ['a text', `Hello,\nmy card is ${CARD}`, 'note.txt', 'text/plain'],
    ['CSV', `name;card\nAnn;${CARD}\n`, 'people.csv', 'text/csv'],
    ['JSON', `{"card": "${CARD}"}`, 'people.json', 'application/json'],
    ['JSON with escapes', '{"card": "4111\\u0020111\\u0031 1111 1111"}', 'people.json', 'application/json'],
    ['YAML', `card: ${CARD}\n`, 'people.yaml', 'application/yaml'],
    ['Markdown', `# Card\n\n${CARD}\n`, 'people.md', 'text/markdown'],
    ['a text of an unknown type', `card ${CARD}`, 'card.xyz', 'application/x-unknown'],
    ['a text that begins like a picture', `BM is not a picture, the card is ${CARD}`, 'card.bmp', 'image/bmp'],
    ['ISO-8859-1', latin1(`Größe ${CARD} für Ann`), 'card.txt', 'text/plain'],
    ['UTF-16', utf16(`card ${CARD}`), 'card.txt', 'text/plain'],
    ['JSON lines with escapes', '{"a": 1}\n{"card": "4111\\u0020111\\u0031 1111 1111"}\n', 'people.jsonl', 'application/json'],
    [
      'ASCII behind the mark of UTF-16',
      bytes(Buffer.from('\xff\xfe'.concat(`card ${CARD} `), 'latin1')),
      'card.txt',
      'text/plain',
    ],
    [
      'ASCII after 4,096 bytes of UTF-16',
      bytes(Buffer.concat([utf16('hello '.repeat(700)), Buffer.from(` ${CARD} `)])),
      'a.txt',
      '',
    ],
  ] as const)('%s', async (_, content, name, type) => expectDenied('cards', await upload(content, name, type)))

  test('the second file', async () => expectDenied('cards', await upload('harmless'), await upload(CARD)))
  test('a phrase of a rule', async () => expectDenied('bombs', await upload('How to build a quince bomb')))
})

test('attached texts: message is stored and its file can be downloaded when no rule denies the content', async () => {
  const id = await upload('Nothing to see here')
  const { attachments } = await send(id)
  expect(attachments).toMatchObject([{ id, filename: 'note.txt' }])
  const response = await fetch(`${server.base}/v1/attachments/${id}/content`, {
    headers: { authorization: `Bearer ${ben.token}` },
  })
  expect(await response.text()).toBe('Nothing to see here')
})

test('attached texts: other members cannot read the file of a refused message', async () => {
  const id = await upload(CARD)
  await expectDenied('cards', id)
  await ben.expectError('NOT_FOUND', 'GET', `/attachments/${id}`)
})

test('attached texts: update is refused when the content of a new file is denied, with and without a text', async () => {
  const { id } = await send(await upload('harmless'))
  const attachments = [await upload(CARD)]
  await ann.expectError('POLICY_DENIED', 'PUT', `/messages/${id}`, { attachments })
  await ann.expectError('POLICY_DENIED', 'PUT', `/messages/${id}`, { attachments, message: 'new' })
  expect((await ben.get(`/messages/${id}`)).attachments).toMatchObject([{ filename: 'note.txt' }])
})

test('attached texts: message is refused when a transform would change its file, and the text alone is transformed [MSG-GOV-8]', async () => {
  await expectDenied('transform', await upload('write to jane@example.com'))
  const message = await ann.create('/messages', fields([await upload('harmless')], 'write to jane@example.com'))
  expect(message.message).toBe('write to [EMAIL]')
})

test('attached texts: reviewer sees the text of the file, and the approved message has text and file as sent [MSG-GOV-8]', async () => {
  const file = await upload('please review this offer')
  const held = await ann.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', fields([file], 'offer'))
  const item = await admin.get(`/reviews/${held.review_item_id}`)
  expect(JSON.stringify(item)).toContain('please review this offer')
  await admin.post(`/reviews/${held.review_item_id}/approve`)
  const { data } = await ben.get(`/messages?limit=1&conversation_id=${chat.id}`)
  expect(data).toMatchObject([{ message: 'offer', attachments: [{ id: file, filename: 'note.txt' }] }])
})

test('attached texts: reviewer sees the whole text that policies read [MSG-GOV-8]', async () => {
  const file = await upload(`please review ${'all of it '.repeat(10_000)} up to the end`)
  const held = await ann.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', fields([file], 'offer'))
  expect(JSON.stringify(await admin.get(`/reviews/${held.review_item_id}`))).toContain('up to the end')
})

test('attached texts: approval is 409 after another message with the file was approved', async () => {
  const file = await upload('please review this file')
  const hold = (text: string) => ann.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', fields([file], text))
  const [first, second] = [await hold('first'), await hold('second')]
  await admin.post(`/reviews/${first.review_item_id}/approve`)
  const { status, body } = await admin.send('POST', `/reviews/${second.review_item_id}/approve`, {})
  expect([status, body.error.code]).toEqual([409, 'CONFLICT'])
  expect((await admin.get(`/reviews/${second.review_item_id}/preview`)).refusal.reason).toBe('message_gone')
})

test('attached texts: pictures and what exceeds a mebibyte of text count as unread content', async () => {
  await send(await upload(new Uint8Array(PNG), 'dot.png', 'image/png'))
  await expectDenied('films', await upload('x'.repeat(MEBI + 1), 'long.txt'))
  await expectDenied('cards', await upload(`${CARD}\n${'ü'.repeat(400_000)}`, 'long.txt'))
})
