import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SHARED_SCOPES } from '../../src/domain/memory-words.ts'
import { assertNoContent } from '../support/audit.ts'
import { accepted, contentOf, type GatewayResponse } from '../support/gateway-client.ts'
import { type Governed, startGoverned } from '../support/governed.ts'
import { createTestCollection } from '../support/knowledge-fixture.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'
import { completion, json, word } from '../support/scripted-provider.ts'

/** In every document and memory, so that a search for it would bring up all of them. */
const BAIT = 'heron'
const NEIGHBOURS = 'neighbours'

/** Who asks. The same names next door are other people. */
interface Caller {
  readonly app: 'first' | 'second' | 'next door'
  readonly user?: Readonly<Record<string, unknown>>
  readonly session?: string
}

const MARA = { id: 'mara', role: 'pilot', department: 'hangar', attributes: { projects: ['apollo'] } }
const NOOR = { id: 'noor', role: 'clerk', department: 'office', attributes: { projects: ['zeus'] } }
const CALLERS = {
  mara: { app: 'first', user: MARA, session: 'morning' },
  'mara in the evening': { app: 'first', user: MARA, session: 'evening' },
  'mara elsewhere': { app: 'second', user: MARA, session: 'morning' },
  'mara next door': { app: 'next door', user: MARA, session: 'morning' },
  noor: { app: 'first', user: NOOR, session: 'morning' },
  'noor elsewhere': { app: 'second', user: NOOR, session: 'evening' },
  nobody: { app: 'first' },
  'somebody in a session': { app: 'first', session: 'morning' },
} as const satisfies Record<string, Caller>
type Name = keyof typeof CALLERS
const NAMES = Object.keys(CALLERS) as Name[]
const HERE = NAMES.filter((name) => CALLERS[name].app !== 'next door')
const FIRST = NAMES.filter((name) => CALLERS[name].app === 'first')
const at = (app: Caller['app'], ...names: Name[]) => names.filter((name) => CALLERS[name].app === app)
const MARAS: Name[] = ['mara', 'mara in the evening', 'mara elsewhere']
const NOORS: Name[] = ['noor', 'noor elsewhere']

interface Canary {
  readonly what: string
  readonly text: string
  readonly readers: readonly Name[]
}

let governed: Governed
const tokens = new Map<Caller['app'], string>()
const canaries: Canary[] = []
const told = new Map<Name, GatewayResponse[]>()

const canary = (what: string, readers: readonly Name[]): string => {
  const text = `canary-${word()}${word()}`
  canaries.push({ what, text, readers })
  return `${BAIT} ${text}`
}

beforeAll(async () => {
  governed = await startGoverned({ LOG_LEVEL: 'trace', GATEHOUSE_ALLOW_PRIVATE_URLS: '1' })
  await openApplications()
  await fillCollections()
  await storeMemories()
  governed.provider.on(BAIT, (response, { body }) => json(response, 200, completion(JSON.stringify(body.messages))))
  for (const name of NAMES) told.set(name, await askAround(name))
})
afterAll(() => governed.close())

const SETTINGS = {
  knowledge: { enabled: true, passages: 50 },
  memory: { enabled: true, recall: 50, assertion_scopes: SHARED_SCOPES },
}
const LIMITS = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 10_000 }

async function openApplications(): Promise<void> {
  for (const app of ['first', 'second'] as const) tokens.set(app, (await governed.application({ settings: SETTINGS })).token)
  accepted(await governed.admin('POST', '/workspaces', { json: { name: NEIGHBOURS } }), 201)
  const inside = `?workspace=${NEIGHBOURS}`
  const fields = { name: 'next door', settings: SETTINGS, limits: LIMITS }
  const { id } = accepted(await governed.admin('POST', `/applications${inside}`, { json: fields }), 201)
  const issued = await governed.admin('POST', `/applications/${id}/keys${inside}`, { json: { name: 'k' } })
  tokens.set('next door', String(accepted(issued, 201).key))
}

const idOf = async (app: 'first' | 'second'): Promise<string> => {
  const answer = await governed.post('/v1/knowledge/search', { query: 'x' }, { token: tokens.get(app) ?? '' })
  const record = await governed.api('GET', `/v1/audit/${accepted(answer).governance.audit_id}`, { token: tokens.get(app) ?? '' })
  return String(accepted(record).application_id)
}

async function fillCollections(): Promise<void> {
  const here = governed.demo.workspace.id
  const { data } = accepted(await governed.admin('GET', '/workspaces'))
  const nextDoor = String(data.find(({ name }) => name === NEIGHBOURS)?.id)
  const open = await createTestCollection(governed, here)
  await open.put(canary('document for everyone', HERE))
  await open.put(canary('document for a user', MARAS), { acl: { users: ['mara'] } })
  await open.put(canary('document for a role', NOORS), { acl: { roles: ['clerk'] } })
  await open.put(canary('document for a department', MARAS), { acl: { departments: ['hangar'] } })
  await open.put(canary('document for somebody else', []), { acl: { users: ['vera'] } })
  await open.put(canary('document that is confidential', []), { classification: 'confidential' })
  await open.put(`---\nacl:\n  users: [noor]\n---\n${canary('document that closes itself', NOORS)}`)
  const served = await createTestCollection(governed, here, { applications: [await idOf('first')] })
  await served.put(canary('document for one Application', FIRST))
  await served.put(canary('document for a user of one Application', at('first', ...NOORS)), { acl: { users: ['noor'] } })
  const closed = await createTestCollection(governed, here, { acl: null })
  await closed.put(canary('document without an ACL', []))
  await closed.put(`---\nacl: everyone\n---\n${canary('document that opens itself', [])}`)
  const unlabelled = await createTestCollection(governed, here, { classification: null })
  await unlabelled.put(canary('document without a label', []))
  const removed = await createTestCollection(governed, here)
  await removed.remove(await removed.put(canary('document that was deleted', [])))
  await removed.put(canary('document that was replaced', []), { key: 'page' })
  await removed.put(`${BAIT} without a canary`, { key: 'page' })
  const theirs = await createTestCollection(governed, nextDoor)
  await theirs.put(canary('document of the neighbours', ['mara next door']))
  await theirs.put(canary("document of the neighbours' user", ['mara next door']), { acl: { users: ['mara'] } })
}

async function storeMemories(): Promise<void> {
  await keep('mara', 'user', MARAS)
  await keep('noor', 'user', NOORS)
  await keep('mara', 'session', ['mara'])
  await keep('noor elsewhere', 'session', ['noor elsewhere'])
  await keep('somebody in a session', 'session', ['somebody in a session'])
  await keep('mara', 'application', FIRST)
  await keep(
    'mara elsewhere',
    'application',
    NAMES.filter((name) => CALLERS[name].app === 'second'),
  )
  await keep('mara', 'department', MARAS, { scope_id: 'hangar' })
  await keep('mara', 'department', NOORS, { scope_id: 'office' })
  await keep('noor', 'project', MARAS, { scope_id: 'apollo' })
  await keep('noor', 'project', [], { scope_id: 'Apollo' })
  await keep('mara', 'workspace', HERE)
  await keep('mara', 'user', [], { classification: 'confidential' })
  for (const scope of ['user', 'session', 'application', 'workspace']) await keep('mara next door', scope, ['mara next door'])
  for (const scope_id of ['hangar', 'apollo']) {
    const scope = scope_id === 'hangar' ? 'department' : 'project'
    await keep('mara next door', scope, ['mara next door'], { scope_id })
  }
}

async function keep(by: Name, scope: string, readers: readonly Name[], more: object = {}): Promise<void> {
  const content = canary(`memory of ${by}, ${scope} ${JSON.stringify(more)}`, readers)
  const json = { content, scope, kind: 'fact', classification: 'internal', ...more }
  expect(accepted(await ask(by, '/v1/memory/capture', json)).mode).toBe('active')
}

const ask = (name: Name, path: string, body: object): Promise<GatewayResponse> => {
  const { app, user, session }: Caller = CALLERS[name]
  const governance = { ...(user && { user }), ...(session !== undefined && { session_id: session }) }
  return governed.post(path, { ...body, governance }, { token: tokens.get(app) ?? '' })
}

/** Everything that a curious caller tries: each endpoint, for the bait and for each canary by its name, and what fails. */
async function askAround(name: Name): Promise<GatewayResponse[]> {
  const answers: GatewayResponse[] = []
  const post = async (path: string, body: object) => void answers.push(await ask(name, path, body))
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
  const token = tokens.get(CALLERS[name].app) ?? ''
  for (const id of answers.map(({ headers }) => headers.get('x-audit-id') ?? 'none')) {
    answers.push(await governed.api('GET', `/v1/audit/${id}`, { token }))
  }
  return answers
}

const textOf = (name: Name) => (told.get(name) ?? []).map(({ text }) => text).join('\n')
const namesIn = (text: string) => canaries.filter((one) => text.includes(one.text)).map(({ what }) => what)

describe('canaries in documents and memories', () => {
  test.each(NAMES)('canaries: %s finds exactly the canaries that the requester may read', (name) => {
    const own = canaries.filter(({ readers }) => readers.includes(name)).map(({ what }) => what)
    expect(own.length).toBeGreaterThan(0)
    expect(namesIn(textOf(name)).toSorted()).toEqual(own.toSorted())
  })
  test.each(HERE)('canaries: %s gets the same canaries in a chat as in searches', (name) => {
    const [knowledge, , , , memory, , , , said] = told.get(name) ?? []
    const searched = [...namesIn(knowledge?.text ?? ''), ...namesIn(memory?.text ?? '')]
    expect(said?.status).toBe(200)
    expect(namesIn(said?.text ?? '').toSorted()).toEqual(searched.toSorted())
  })
  test('canaries: search for the name of a canary does not find it when the requester may not read it', async () => {
    for (const name of NAMES) {
      const { app } = CALLERS[name]
      for (const { text, readers, what } of canaries.filter((one) => !one.readers.includes(name))) {
        const path = what.startsWith('document') ? '/v1/knowledge/search' : '/v1/memory/search'
        const answer = await ask(name, path, { query: text, limit: 50 })
        expect(namesIn(answer.text), `${name} (${app}) looked for ${what}, for ${readers.join()}`).not.toContain(what)
      }
    }
  })
})

describe('canaries in other outputs', () => {
  test('canaries: no error contains one', () => {
    const errors = [...told.values()].flat().filter(({ status }) => status >= 400)
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
        [...told.values()]
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
  /** Two providers of one model: the first may see little and is always asked first. */
  const openModel = async (): Promise<string> => {
    const model = word()
    for (const [name, fields] of [
      ['lesser', { max_classification: 'internal', weight: 1_000 }],
      ['trusted', { max_classification: 'restricted', weight: 0 }],
    ] as const) {
      const id = `${name}-${model}`
      const json = { id, base_url: governed.provider.url, max_retries: 0, ...fields }
      accepted(await governed.admin('POST', '/providers', { json }), 201)
      accepted(await governed.admin('PUT', `/providers/${id}/models/${model}`, { json: { upstream_name: name } }))
    }
    return model
  }
  /** The first call fails, `answer` comes from the second, and what is worth remembering from whoever is asked next. */
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
    const { data } = accepted(await governed.admin('GET', `/memories?user_id=${id}`))
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
