import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { demoDeclaration } from '../../src/tools/demo/demo-declaration.ts'
import { applyWorkspace } from '../../src/tools/setup/apply-workspace.ts'
import { type ApiResponse, adminClient, expectError, type Json } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers } from './client.ts'

const rule = (word: string, demands: object) => ({
  id: word,
  at: ['message'],
  when: `content.text.contains("${word}")`,
  ...demands,
})
const RULES = [
  rule('aster-deny', { verdict: 'deny' }),
  rule('aster-hold', { verdict: 'require_approval' }),
  rule('aster-escalate', { verdict: 'escalate' }),
  { id: 'addresses', at: ['message'], when: 'content.findings["pii.email"] > 0', verdict: 'allow', transforms: ['redact:pii'] },
  { id: 'secrets', at: ['message'], when: 'content.findings.secret > 0', verdict: 'deny' },
  { id: 'digits', at: ['message'], when: 'content.text.contains("010101")', verdict: 'deny' },
]

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const { ann, ben } = await createMembers(server, ['ann', 'ben'])
await admin.create('/policy-sets', { source: JSON.stringify({ name: 'demo', rules: RULES }) })

const applicationId = async (): Promise<string> => (await admin.get('/applications')).data[0].id

const group = async (): Promise<Json> => ann.create('/groups', { name: `G ${word()}`, contacts: [ben.id] })
const url = (text: string) => `https://pictures.example/${encodeURIComponent(text)}?${text}`

type Write = (fields: object) => Promise<ApiResponse>
const createGroup: Write = (fields) => ann.send('POST', '/groups', { name: 'G', contacts: [ben.id], ...fields })
const changeGroup: Write = async (fields) => ann.send('PUT', `/groups/${(await group()).id}`, fields)
const changeContact: Write = (fields) => ann.send('PUT', `/contacts/${ann.id}`, fields)
const createUser: Write = (fields) => admin.send('POST', '/users', { username: word(), ...fields })
const changeUser: Write = async (fields) => admin.send('PATCH', `/users/${(await createUser({})).body.id}`, fields)
const createAssistant: Write = async (fields) =>
  admin.send('POST', '/assistants', { username: word(), application_id: await applicationId(), ...fields })
const changeAssistant: Write = async (fields) => admin.send('PATCH', `/assistants/${(await createAssistant({})).body.id}`, fields)

/** Fields that other users read: the name of each, and the function that writes it. */
const FIELDS: Readonly<Record<string, readonly [name: string, write: Write]>> = {
  'name of a new group': ['name', createGroup],
  'description of a new group': ['description', createGroup],
  'picture of a new group': ['avatar_url', createGroup],
  'name of a group': ['name', changeGroup],
  'description of a group': ['description', changeGroup],
  'picture of a group': ['avatar_url', changeGroup],
  'display name of a contact': ['display_name', changeContact],
  'picture of a contact': ['avatar_url', changeContact],
  'username of a new user (admin API)': ['username', createUser],
  'username of a user (admin API)': ['username', changeUser],
  'username of a new assistant (admin API)': ['username', createAssistant],
  'display name of a new assistant (admin API)': ['display_name', createAssistant],
  'display name of an assistant (admin API)': ['display_name', changeAssistant],
  'picture of an assistant (admin API)': ['avatar_url', changeAssistant],
}
const NAMES = Object.keys(FIELDS)
function fieldOf(key: string) {
  const [name, write] = FIELDS[key] as readonly [string, Write]
  /** The text in the form that the field requires. */
  const textOf = (text: string): string => (name === 'avatar_url' ? url(text) : text)
  const path = write === createGroup || write === changeGroup ? 'groups' : 'contacts'
  return {
    name,
    textOf,
    write: (text: string) => write({ [name]: textOf(text) }),
    /** The object with the field, read by another user. */
    read: ({ body }: ApiResponse): Promise<Json> => ben.get(`/${path}/${encodeURIComponent(body.id)}`),
  }
}
const keyOf = () => ['sk', `proj-${crypto.randomUUID().replaceAll('-', '')}${crypto.randomUUID().replaceAll('-', '')}`].join('-')

describe('texts that other users read', () => {
  test.each(NAMES)('governed fields: %s is refused and recorded when policies deny it [MSG-GOV-7]', async (name) => {
    for (const rule of ['aster-deny', 'aster-hold']) {
      const forbidden = `${rule}${word()}`
      const { audit_id, details } = expectError(await fieldOf(name).write(forbidden), 'POLICY_DENIED')
      expect(details.rules).toEqual([rule])
      const record = await admin.get(`/audit/${audit_id}`)
      expect(record).toMatchObject({ endpoint: 'message', status: 403, error_code: 'POLICY_DENIED' })
      expect(JSON.stringify(record)).not.toContain(forbidden)
      const everything = JSON.stringify([await ben.get('/contacts?limit=100'), await ben.get('/groups?limit=100')])
      expect(everything).not.toContain(forbidden)
    }
  })

  test.each(NAMES)('governed fields: %s is refused when it contains a credential', async (name) => {
    expectError(await fieldOf(name).write(keyOf()), 'POLICY_DENIED')
  })

  test.each(NAMES)('governed fields: %s is stored with its transforms [MSG-GOV-7]', async (name) => {
    const field = fieldOf(name)
    const address = `${word()}@example.org`
    // The transformed username must still be unique.
    const reply = await field.write(name.includes('username') ? `u ${word()} ${address}` : address)
    expect(reply.status, reply.text).toBeLessThan(300)
    const shown = await field.read(reply)
    expect(JSON.stringify(shown)).not.toContain(address)
    expect(JSON.stringify(reply.body)).not.toContain(address)
  })

  test.each(NAMES)('governed fields: %s is stored and flagged when policies escalate it', async (name) => {
    const field = fieldOf(name)
    const text = `aster-escalate${word()}`
    const reply = await field.write(text)
    expect(reply.status, reply.text).toBeLessThan(300)
    expect((await field.read(reply))[field.name]).toBe(field.textOf(text))
    const { data } = await admin.get('/reviews?kind=escalation&state=pending&limit=100')
    const texts = await Promise.all(
      data.slice(-3).map(async ({ id }: Json) => JSON.stringify((await admin.get(`/reviews/${id}`)).content)),
    )
    expect(texts.some((content) => content.includes(text))).toBe(true)
  })

  test('governed fields: a phone number is refused when policies deny it', async () => {
    expectError(await ann.send('PUT', `/contacts/${ann.id}`, { phone_number: '010101' }), 'POLICY_DENIED')
    expect((await ben.get(`/contacts/${ann.id}`)).phone_number).toBe('')
    await ann.put(`/contacts/${ann.id}`, { phone_number: '020202' })
    expect((await ben.get(`/contacts/${ann.id}`)).phone_number).toBe('020202')
  })

  test('governed fields: request gets 403 without a policy decision when the user may not change the group or profile', async () => {
    const { id } = await group()
    await ben.expectError('FORBIDDEN', 'PUT', `/groups/${id}`, { name: 'aster-deny' })
    await ben.expectError('FORBIDDEN', 'PUT', `/contacts/${ann.id}`, { display_name: 'aster-deny' })
  })

  test('governed fields: a username of gatehouse.yaml is refused when the policies declared with it deny it', async () => {
    const { database, clock, workspaceBox, providerBox } = server.context
    const { users, ...declared } = demoDeclaration({ keys: [] })
    const name = `ws-${word()}`
    const policy = JSON.stringify({ name: 'declared', rules: RULES })
    const apply = (username: string) =>
      database.db
        .transaction()
        .execute((tx) =>
          applyWorkspace(
            tx,
            { ...declared, settings: {}, name, policy, users: [{ ...users[0], id: 'zoe', username }] },
            clock.now(),
            { workspaceBox, providerBox },
          ),
        )
    await expect(apply('aster-deny')).rejects.toThrow(/denied by the policies at `message` \(aster-deny\)/)
    await expect(apply('aster-hold')).rejects.toThrow(/aster-hold/)
    expect((await apply('zoe')).changes.map(({ object }) => object)).toContain('user')
  })
})

test('governed fields: only messaging/governance creates a GovernedString', () => {
  const root = join(import.meta.dirname, '../../src')
  const makers = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => /\bas (readonly )?GovernedString\b|as Governed</.test(readFileSync(join(root, path), 'utf8')))
  expect(makers.toSorted()).toEqual([
    'domains/messaging/governance/governed-fields.ts',
    'domains/messaging/governance/governed-text.ts',
  ])
})
