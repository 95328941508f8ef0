import { describe, expect, test } from 'vitest'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { assertNoContent } from '../support/audit.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { dumpTables } from '../support/dump-tables.ts'
import { expectError, expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { completion, json } from '../support/scripted-provider.ts'

const PROVIDER_KEY = 'sk-scripted-canary-quetzal'
const STORED_KEY = 'sk-stored-canary-axolotl'

/** A unique text for each kind of content that must not leave the request. */
const CANARIES = {
  prompt: 'canary-okapi-in-the-prompt',
  'system message': 'canary-numbat-in-the-system-message',
  answer: 'canary-civet-in-the-answer',
  reasoning: 'canary-tapir-in-the-reasoning',
  metadata: 'canary-saiga-in-the-metadata',
  user: 'canary-kudu-the-user',
  attribute: 'canary-dugong-the-attribute',
  session: 'canary-fossa-the-session',
  // Not a valid model name: a record would contain a valid one in clear text.
  model: 'canary,gerenuk!the,model',
  'unknown field': 'canary-hutia-in-an-unknown-field',
  'header of the caller': 'canary-jerboa-in-a-header',
  'query string': 'canary-kinkajou-in-the-query',
  'path of a record': 'canary-linsang-in-the-path',
  'malformed body': 'canary-margay-in-broken-json',
  'user token': 'canary-nyala-in-a-token',
  'provider failure': 'canary-onager-from-the-provider',
  'held prompt': 'canary-potto-in-a-held-prompt',
  'held answer': 'canary-quokka-in-a-held-answer',
  'key guessed': 'gk_canary_ratel_guessed_key_0000000000000000000',
  'admin token guessed': 'ga_canary_serow_guessed_token_00000000000000000',
  mail: 'canary.takin@example.org',
} as const
/** Roles of users appear in records, and comments of reviewers are shown to reviewers. */
const VISIBLE = { role: 'canary-urial-the-role', comment: 'canary-vicuna-the-comment' }

const clock = adjustableClock()
const responses: GatewayResponse[] = []
const record = <T extends GatewayResponse>(response: T): T => {
  responses.push(response)
  return response
}

const governed = await closeAfterAll(startGoverned({ LOG_LEVEL: 'trace', OPENAI_API_KEY: PROVIDER_KEY }, { clock }))
await sendTraffic()

/** Sends requests of all kinds: successful, refused, held, failed and malformed ones. */
async function sendTraffic(): Promise<void> {
  const { provider, chat, api, demo } = governed
  const user = { id: CANARIES.user, role: VISIBLE.role, attributes: { x: CANARIES.attribute } }
  const governance = { user, session_id: CANARIES.session }
  const more = { governance, metadata: { x: CANARIES.metadata }, x_unknown: CANARIES['unknown field'] }
  const answer = { role: 'assistant', content: CANARIES.answer, reasoning_content: CANARIES.reasoning }
  const said = completion('', { choices: [{ index: 0, message: answer, finish_reason: 'stop' }] })
  provider.on(CANARIES.prompt, (response) => json(response, 200, said))
  // The provider refuses the first request, then the key.
  const failures = [400, 401]
  provider.on(CANARIES['provider failure'], (response) =>
    json(response, failures.shift() ?? 401, { error: { message: CANARIES['provider failure'] } }),
  )
  const messages = [
    { role: 'system', content: CANARIES['system message'] },
    { role: 'user', content: `${CANARIES.prompt} ${CANARIES.mail}` },
  ]
  const headers = { 'x-canary': CANARIES['header of the caller'], cookie: CANARIES['header of the caller'] }
  const path = `/v1/chat/completions?q=${CANARIES['query string']}`
  for (const mark of ['', 'juniper-deny', 'juniper-escalate', 'juniper-pseudonymize', 'juniper-broken', 'sorrel-deny']) {
    for (const stream of [false, true]) {
      record(await chat([...messages, { role: 'user', content: mark }], { ...more, stream }, { headers, path }))
    }
  }
  record(await chat(messages, { ...more, governance: { ...governance, dry_run: true } }))
  record(await chat(CANARIES.prompt, { ...more, model: CANARIES.model }))
  for (let i = 0; i < 2; i++) record(await chat(CANARIES['provider failure'], more))
  await holds(governance)
  record(await api('GET', `/v1/audit/${CANARIES['path of a record']}?q=${CANARIES['query string']}`))
  record(await api('GET', `/${CANARIES['path of a record']}`))
  record(await api('POST', '/v1/chat/completions', { raw: `{"messages": "${CANARIES['malformed body']}` }))
  record(
    await api('POST', '/v1/chat/completions', { raw: CANARIES['malformed body'], headers: { 'content-type': 'text/plain' } }),
  )
  record(await api('GET', '/v1/models', { token: CANARIES['key guessed'] }))
  record(await api('GET', '/admin/v1/applications', { token: CANARIES['admin token guessed'] }))
  record(await chat('x', more, { userToken: CANARIES['user token'] }))
  record(await chat('x', more, { userToken: demo.users[0]?.user_token ?? '' }))
  for (const route of ['knowledge/search', 'memory/search'])
    record(await governed.post(`/v1/${route}`, { query: CANARIES.prompt, governance }))
  const capture = { content: CANARIES.prompt, scope: 'user', kind: 'fact', classification: 'internal', governance }
  record(await governed.post('/v1/memory/capture', capture))
  expectSuccess(
    await governed.admin('POST', '/providers', {
      json: { id: 'stored', base_url: 'https://models.example/v1', api_key: STORED_KEY },
    }),
    201,
  )
  record(await governed.admin('GET', '/providers'))
}

async function holds(governance: object): Promise<void> {
  for (const end of ['nothing', 'deny', 'approve', 'release', 'expire'] as const) {
    for (const mark of ['juniper-brief', 'sorrel-brief']) {
      const prompt = `${CANARIES['held prompt']} ${mark} ${end}`
      governed.provider.on(prompt, (response) => json(response, 200, completion(`${CANARIES['held answer']} ${mark}`)))
      const held = record(await governed.chat(prompt, { governance }))
      const id = expectError(held, 'POLICY_REVIEW_PENDING').review_item_id
      if (end === 'deny') await governed.decide(id, 'deny', VISIBLE.comment)
      if (end === 'approve' || end === 'release') await governed.decide(id, 'approve', VISIBLE.comment)
      if (end === 'expire') clock.advance(31_000)
      if (end === 'release' || end === 'expire')
        record(await governed.chat(prompt, { governance: { ...governance, review_item_id: id } }))
    }
  }
}

const secrets = (): [string, string][] => [
  ...Object.entries(CANARIES),
  ['provider key of the environment', PROVIDER_KEY],
  ['provider key stored', STORED_KEY],
  ['admin token', governed.demo.admin_token],
  ...governed.demo.applications.flatMap(({ name, api_key, revoked_api_key }): [string, string][] => [
    [`key of ${name}`, api_key],
    [`revoked key of ${name}`, revoked_api_key],
  ]),
  ...governed.demo.users.map(({ id, user_token }): [string, string] => [`token of ${id}`, user_token]),
]

/** Names of the secrets in `text`, also in reversible encodings. */
const findSecrets = (text: string): string[] =>
  secrets()
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name)

const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret)
  // Base64 is found only if the secret is encoded alone, not in the middle of a longer text.
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}

describe('content, users, sessions, keys and tokens [GW-AUD-3]', () => {
  test('canaries: the traffic has responses of every expected status', () => {
    expect(responses.map(({ status }) => status).toSorted()).toEqual(
      expect.arrayContaining([200, 400, 401, 403, 404, 409, 410, 415, 422, 502]),
    )
    expect(responses.map(({ text }) => text).join('')).toContain(CANARIES.answer)
  })
  test('canaries: no log line contains them at level trace', () => {
    expect(governed.server.logs().split('\n').length).toBeGreaterThan(responses.length)
    expect(findSecrets(governed.server.logs())).toEqual([])
  })
  test('canaries: no metric contains them', async () => {
    const { text } = await governed.api('GET', '/metrics', { token: null })
    expect(text).toContain('gatehouse_requests_total')
    expect(findSecrets(text)).toEqual([])
  })
  test('canaries: no audit record contains them, also not as an unkeyed hash', async () => {
    const { pool } = governed.server.context.database
    const { rows } = await pool.query('select body from audit_record')
    expect(rows.length).toBeGreaterThan(responses.length / 2)
    expect(findSecrets(rows.map(({ body }) => body).join('\n'))).toEqual([])
    for (const { body } of rows) assertNoContent(JSON.parse(body), Object.values(CANARIES))
  })
  test('canaries: no error contains them, except the model name that the client sent', () => {
    const errors = responses.filter(({ status }) => status >= 400)
    // The error names the model that the client sent.
    expect(findSecrets(errors.map(({ text }) => text).join('\n')).filter((name) => name !== 'model')).toEqual([])
  })
  test('canaries: no response header contains them', () => {
    expect(findSecrets(responses.flatMap(({ headers }) => [...headers].flat()).join('\n'))).toEqual([])
  })
  test('canaries: no column contains them in clear text, except user and session of a review item', async () => {
    const tables = await dumpTables(governed.server.context.database.pool)
    const hits = tables.flatMap(({ table, column, text }) => findSecrets(text).map((name) => `${table}.${column}: ${name}`))
    expect([...new Set(hits)].toSorted()).toEqual(['review_item.session_id: session', 'review_item.user_id: user'])
  })
  test('canaries: no encrypted column contains their bytes', async () => {
    const tables = await dumpTables(governed.server.context.database.pool)
    const sealed = tables.filter(({ type }) => type === 'bytea')
    expect(new Set(sealed.map(({ table, column }) => `${table}.${column}`))).toContain('review_item.content')
    const bytes = sealed.map(({ text }) => Buffer.from(text.replaceAll('\\x', ''), 'hex').toString('latin1')).join('\n')
    expect(findSecrets(bytes)).toEqual([])
  })
  test('canaries: review item has no content when it was denied', async () => {
    const { rows } = await governed.server.context.database.pool.query("select content from review_item where state = 'denied'")
    expect(rows.length).toBeGreaterThan(0)
    for (const { content } of rows) expect(content).toBeNull()
  })
})
