import { beforeAll, describe, expect, test } from 'vitest'
import { SHARED_SCOPES } from '../../src/shared/memory-words.ts'
import { assertNoContent } from '../support/audit.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { contentOf, expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { createTestCollection } from '../support/knowledge-fixture.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'
import { completion, json, word } from '../support/scripted-provider.ts'

/** A word in every document and memory, so that a search for it matches all of them. */
const BAIT = 'heron'
const OTHER_WORKSPACE = 'other-workspace'

/** A requester. The same user ids in the other Workspace are other users. */
interface Requester {
  readonly app: 'first' | 'second' | 'other Workspace'
  readonly user?: Readonly<Record<string, unknown>>
  readonly session?: string
}

const MARA = { id: 'mara', role: 'pilot', department: 'hangar', attributes: { projects: ['apollo'] } }
const NOOR = { id: 'noor', role: 'clerk', department: 'office', attributes: { projects: ['zeus'] } }
const REQUESTERS = {
  mara: { app: 'first', user: MARA, session: 'morning' },
  'mara in the evening': { app: 'first', user: MARA, session: 'evening' },
  'mara elsewhere': { app: 'second', user: MARA, session: 'morning' },
  'mara in another Workspace': { app: 'other Workspace', user: MARA, session: 'morning' },
  noor: { app: 'first', user: NOOR, session: 'morning' },
  'noor elsewhere': { app: 'second', user: NOOR, session: 'evening' },
  anonymous: { app: 'first' },
  'anonymous session': { app: 'first', session: 'morning' },
} as const satisfies Record<string, Requester>
type Name = keyof typeof REQUESTERS
const NAMES = Object.keys(REQUESTERS) as Name[]
const MAIN_WORKSPACE = NAMES.filter((name) => REQUESTERS[name].app !== 'other Workspace')
const FIRST = NAMES.filter((name) => REQUESTERS[name].app === 'first')
const inApplication = (app: Requester['app'], ...names: Name[]) => names.filter((name) => REQUESTERS[name].app === app)
const MARAS: Name[] = ['mara', 'mara in the evening', 'mara elsewhere']
const NOORS: Name[] = ['noor', 'noor elsewhere']

interface Canary {
  readonly description: string
  readonly text: string
  readonly readers: readonly Name[]
}

const tokens = new Map<Requester['app'], string>()
const canaries: Canary[] = []
const responses = new Map<Name, GatewayResponse[]>()

const canary = (description: string, readers: readonly Name[]): string => {
  const text = `canary-${word()}${word()}`
  canaries.push({ description, text, readers })
  return `${BAIT} ${text}`
}

const governed = await closeAfterAll(startGoverned({ LOG_LEVEL: 'trace', GATEHOUSE_ALLOW_PRIVATE_URLS: '1' }))
beforeAll(async () => {
  await openApplications()
  await fillCollections()
  await storeMemories()
  governed.provider.on(BAIT, (response, { body }) => json(response, 200, completion(JSON.stringify(body.messages))))
  for (const name of NAMES) responses.set(name, await sendAllRequests(name))
})

const SETTINGS = {
  knowledge: { enabled: true, passages: 50 },
  memory: { enabled: true, recall: 50, assertion_scopes: SHARED_SCOPES },
}
const LIMITS = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 10_000 }

async function openApplications(): Promise<void> {
  for (const app of ['first', 'second'] as const) tokens.set(app, (await governed.application({ settings: SETTINGS })).token)
  expectSuccess(await governed.admin('POST', '/workspaces', { json: { name: OTHER_WORKSPACE } }), 201)
  const inside = `?workspace=${OTHER_WORKSPACE}`
  const fields = { name: 'other Workspace', settings: SETTINGS, limits: LIMITS }
  const { id } = expectSuccess(await governed.admin('POST', `/applications${inside}`, { json: fields }), 201)
  const issued = await governed.admin('POST', `/applications/${id}/keys${inside}`, { json: { name: 'k' } })
  tokens.set('other Workspace', String(expectSuccess(issued, 201).key))
}

const idOf = async (app: 'first' | 'second'): Promise<string> => {
  const response = await governed.post('/v1/knowledge/search', { query: 'x' }, { token: tokens.get(app) ?? '' })
  const record = await governed.api('GET', `/v1/audit/${expectSuccess(response).governance.audit_id}`, {
    token: tokens.get(app) ?? '',
  })
  return String(expectSuccess(record).application_id)
}

async function fillCollections(): Promise<void> {
  const here = governed.demo.workspace.id
  const { data } = expectSuccess(await governed.admin('GET', '/workspaces'))
  const otherWorkspaceId = String(data.find(({ name }) => name === OTHER_WORKSPACE)?.id)
  const open = await createTestCollection(governed, here)
  await open.put(canary('document for everyone', MAIN_WORKSPACE))
  await open.put(canary('document for a user', MARAS), { acl: { users: ['mara'] } })
  await open.put(canary('document for a role', NOORS), { acl: { roles: ['clerk'] } })
  await open.put(canary('document for a department', MARAS), { acl: { departments: ['hangar'] } })
  await open.put(canary('document for another user', []), { acl: { users: ['vera'] } })
  await open.put(canary('document that is confidential', []), { classification: 'confidential' })
  await open.put(`---\nacl:\n  users: [noor]\n---\n${canary('document that closes itself', NOORS)}`)
  const served = await createTestCollection(governed, here, { applications: [await idOf('first')] })
  await served.put(canary('document for one Application', FIRST))
  await served.put(canary('document for a user of one Application', inApplication('first', ...NOORS)), {
    acl: { users: ['noor'] },
  })
  const closed = await createTestCollection(governed, here, { acl: null })
  await closed.put(canary('document without an ACL', []))
  await closed.put(`---\nacl: everyone\n---\n${canary('document that opens itself', [])}`)
  const unlabelled = await createTestCollection(governed, here, { classification: null })
  await unlabelled.put(canary('document without a label', []))
  const removed = await createTestCollection(governed, here)
  await removed.remove(await removed.put(canary('document that was deleted', [])))
  await removed.put(canary('document that was replaced', []), { key: 'page' })
  await removed.put(`${BAIT} without a canary`, { key: 'page' })
  const foreign = await createTestCollection(governed, otherWorkspaceId)
  await foreign.put(canary('document of the other Workspace', ['mara in another Workspace']))
  await foreign.put(canary('document for a user of the other Workspace', ['mara in another Workspace']), {
    acl: { users: ['mara'] },
  })
}

async function storeMemories(): Promise<void> {
  await keep('mara', 'user', MARAS)
  await keep('noor', 'user', NOORS)
  await keep('mara', 'session', ['mara'])
  await keep('noor elsewhere', 'session', ['noor elsewhere'])
  await keep('anonymous session', 'session', ['anonymous session'])
  await keep('mara', 'application', FIRST)
  await keep(
    'mara elsewhere',
    'application',
    NAMES.filter((name) => REQUESTERS[name].app === 'second'),
  )
  await keep('mara', 'department', MARAS, { scope_id: 'hangar' })
  await keep('mara', 'department', NOORS, { scope_id: 'office' })
  await keep('noor', 'project', MARAS, { scope_id: 'apollo' })
  await keep('noor', 'project', [], { scope_id: 'Apollo' })
  await keep('mara', 'workspace', MAIN_WORKSPACE)
  await keep('mara', 'user', [], { classification: 'confidential' })
  for (const scope of ['user', 'session', 'application', 'workspace'])
    await keep('mara in another Workspace', scope, ['mara in another Workspace'])
  for (const scope_id of ['hangar', 'apollo']) {
    const scope = scope_id === 'hangar' ? 'department' : 'project'
    await keep('mara in another Workspace', scope, ['mara in another Workspace'], { scope_id })
  }
}

async function keep(by: Name, scope: string, readers: readonly Name[], more: object = {}): Promise<void> {
  const content = canary(`memory of ${by}, ${scope} ${JSON.stringify(more)}`, readers)
  const json = { content, scope, kind: 'fact', classification: 'internal', ...more }
  expect(expectSuccess(await sendRequest(by, '/v1/memory/capture', json)).mode).toBe('active')
}

const sendRequest = (name: Name, path: string, body: object): Promise<GatewayResponse> => {
  const { app, user, session }: Requester = REQUESTERS[name]
  const governance = { ...(user && { user }), ...(session !== undefined && { session_id: session }) }
  return governed.post(path, { ...body, governance }, { token: tokens.get(app) ?? '' })
}

/** Sends a request to each endpoint: searches for the bait, requests that are denied or invalid, and audit look-ups. */
async function sendAllRequests(name: Name): Promise<GatewayResponse[]> {
  const answers: GatewayResponse[] = []
  const post = async (path: string, body: object) => void answers.push(await sendRequest(name, path, body))
  const chat = (content: string) => ({ model: 'scripted', messages: [{ role: 'user', content }] })
  for (const path of ['/v1/knowledge/search', '/v1/memory/search']) {
    await post(path, { query: BAIT, limit: 50 })
    await post(path, { query: 'canary', limit: 50 })
    await post(path, { query: `${BAIT} juniper-deny` })
    await post(path, { query: BAIT, limit: 0 })
  }
  await post('/v1/chat/completions', chat(`Tell me of the ${BAIT}`))
  await post('/v1/chat/completions', chat(`${BAIT} juniper-deny`))
  await post('/v1/chat/completions', chat(`${BAIT} juniper-hold`))
  await post('/v1/memory/capture', { content: BAIT, scope: 'galaxy', kind: 'fact', classification: 'internal' })
  const token = tokens.get(REQUESTERS[name].app) ?? ''
  for (const id of answers.map(({ headers }) => headers.get('x-audit-id') ?? 'none')) {
    answers.push(await governed.api('GET', `/v1/audit/${id}`, { token }))
  }
  return answers
}

const textOf = (name: Name) => (responses.get(name) ?? []).map(({ text }) => text).join('\n')
const namesIn = (text: string) => canaries.filter((one) => text.includes(one.text)).map(({ description }) => description)

describe('canaries in documents and memories', () => {
  test.each(NAMES)('canaries: %s finds exactly the canaries that the requester may read', (name) => {
    const own = canaries.filter(({ readers }) => readers.includes(name)).map(({ description }) => description)
    expect(own.length).toBeGreaterThan(0)
    expect(namesIn(textOf(name)).toSorted()).toEqual(own.toSorted())
  })
  test.each(MAIN_WORKSPACE)('canaries: %s gets the same canaries in a chat as in searches', (name) => {
    const [knowledge, , , , memory, , , , said] = responses.get(name) ?? []
    const searched = [...namesIn(knowledge?.text ?? ''), ...namesIn(memory?.text ?? '')]
    expect(said?.status).toBe(200)
    expect(namesIn(said?.text ?? '').toSorted()).toEqual(searched.toSorted())
  })
  test('canaries: search for the name of a canary does not find it when the requester may not read it', async () => {
    for (const name of NAMES) {
      const { app } = REQUESTERS[name]
      for (const { text, readers, description } of canaries.filter((one) => !one.readers.includes(name))) {
        const path = description.startsWith('document') ? '/v1/knowledge/search' : '/v1/memory/search'
        const response = await sendRequest(name, path, { query: text, limit: 50 })
        expect(namesIn(response.text), `${name} (${app}) looked for ${description}, for ${readers.join()}`).not.toContain(
          description,
        )
      }
    }
  })
})

describe('canaries in other outputs', () => {
  test('canaries: no error contains one', () => {
    const errors = [...responses.values()].flat().filter(({ status }) => status >= 400)
    expect(new Set(errors.map(({ status }) => status))).toEqual(new Set([400, 403, 404, 409, 422]))
    expect(namesIn(errors.map(({ text }) => text).join('\n'))).toEqual([])
  })
  test('canaries: no log line contains one at level trace', () => {
    expect(governed.server.logs().includes('/v1/knowledge/search')).toBe(true)
    expect(namesIn(governed.server.logs())).toEqual([])
  })
  test('canaries: no metric contains one', async () => {
    const { text } = await governed.api('GET', '/metrics', { token: null })
    expect(text).toContain('endpoint="memory_capture"')
    expect(namesIn(text)).toEqual([])
  })
  test('canaries: no response header contains one', () => {
    expect(
      namesIn(
        [...responses.values()]
          .flat()
          .flatMap(({ headers }) => [...headers].flat())
          .join('\n'),
      ),
    ).toEqual([])
  })
  test('canaries: no audit record contains one, also not as an unkeyed hash', async () => {
    const { rows } = await governed.server.context.database.pool.query('select body from audit_record')
    expect(rows.filter(({ body }) => body.includes('"score"')).length).toBeGreaterThan(NAMES.length)
    for (const { body } of rows)
      assertNoContent(
        JSON.parse(body),
        canaries.map(({ text }) => text),
      )
  })
})

describe('extraction of memories', () => {
  const MAIL = 'mara.lind@example.org'
  /** Creates two providers of one model. The preferred one has a low maximum classification. */
  const openModel = async (): Promise<string> => {
    const model = word()
    for (const [name, fields] of [
      ['lesser', { max_classification: 'internal', weight: 1_000 }],
      ['trusted', { max_classification: 'restricted', weight: 0 }],
    ] as const) {
      const id = `${name}-${model}`
      const json = { id, base_url: governed.provider.url, max_retries: 0, ...fields }
      expectSuccess(await governed.admin('POST', '/providers', { json }), 201)
      expectSuccess(await governed.admin('PUT', `/providers/${id}/models/${model}`, { json: { upstream_name: name } }))
    }
    return model
  }
  /** The first call fails, the second returns `answer`, and the third extracts memories. */
  const chat = async (answer: string) => {
    const memoryFixture = await createMemoryFixture(governed, { capture: 'extract' })
    const [key, id, model] = [word(), word(), await openModel()]
    const asked: string[] = []
    governed.provider.on(key, (response, { body, raw }) => {
      asked.push(body.model)
      const asks = raw.includes('<conversation>')
      if (asked.length === 1) json(response, 503, {})
      else json(response, 200, completion(asks ? '[{"content":"The user likes tea.","kind":"fact"}]' : answer))
    })
    const said = await governed.chat(key, { model, governance: { user: { id } } }, { token: memoryFixture.token })
    expect(contentOf(said)).toBe(answer)
    const { data } = expectSuccess(await governed.admin('GET', `/memories?user_id=${id}`))
    return { asked, memories: data }
  }
  test('extraction: a provider does not get the completion when its maximum classification is too low', async () => {
    const { asked, memories } = await chat(`Write to ${MAIL}`)
    expect(asked).toEqual(['lesser', 'trusted', 'trusted'])
    expect(memories).toMatchObject([{ content: 'The user likes tea.', classification: 'confidential' }])
  })
  test('extraction: the best provider gets the completion when it may see it', async () => {
    const { asked, memories } = await chat('Write to them')
    expect(asked).toEqual(['lesser', 'trusted', 'lesser'])
    expect(memories).toMatchObject([{ content: 'The user likes tea.', classification: 'internal' }])
  })
})
