import { describe, expect, test } from 'vitest'
import {
  type ChatOptions,
  ENDPOINTS,
  expectError,
  expectSuccess,
  type GatewayResponse,
  type Options,
} from '../../support/gateway-client.ts'
import { governed } from '../shared-server.ts'

const STAGES = 'authenticate admit identify classify authorize retrieve recall route invoke inspect remember record'.split(' ')

/** The stages in the audit record of a response, as `name:outcome`. */
async function outcomes({ headers }: GatewayResponse): Promise<string[]> {
  const { stages } = await governed.record(headers.get('x-audit-id') ?? '')
  return (stages as { name: string; outcome: string }[]).map(({ name, outcome }) => `${name}:${outcome}`)
}
/** Expected outcomes: `ok` for the stages in `ok`, those of `others`, and `skipped` for the rest. */
const expectedOutcomes = (ok: string, others: Readonly<Record<string, string>> = {}) =>
  STAGES.map((name) => `${name}:${others[name] ?? (ok.split(' ').includes(name) ? 'ok' : 'skipped')}`)
const sendTo = (name: string, options: Options = {}) => {
  const found = ENDPOINTS.find((candidate) => candidate.name === name)
  return governed.api(found?.method ?? '', found?.path ?? '', { json: found?.json, ...options })
}

/** Stages 1 to 4, and 12. */
const IDENTIFIED = 'authenticate admit identify classify record'
const COMPLETED = `${IDENTIFIED} authorize route invoke inspect`
const chat =
  (prompt: string, more: Readonly<Record<string, unknown>> = {}, options: ChatOptions = {}) =>
  () =>
    governed.chat(prompt, more, options)
const completes = (answer: string) => async () => (await governed.sendPrompt('', { answer })).response

describe('the twelve stages [GW-PIPE-1]', () => {
  test.each<[string, () => Promise<GatewayResponse>, string, Readonly<Record<string, string>>]>([
    ['chat [GW-PIPE-3]', chat('Good morning'), COMPLETED, {}],
    ['chat, dry run', chat('Good morning', { governance: { dry_run: true } }), COMPLETED, {}],
    ['chat, denied at input [GW-PIPE-2]', chat('juniper-deny'), IDENTIFIED, { authorize: 'stopped' }],
    ['chat, held at input [GW-PIPE-2]', chat('juniper-hold'), IDENTIFIED, { authorize: 'stopped' }],
    ['chat, no provider [GW-PIPE-2]', chat('x', { model: 'none' }), `${IDENTIFIED} authorize`, { route: 'stopped' }],
    ['chat, denied at output', completes('sorrel-deny'), COMPLETED, { inspect: 'stopped' }],
    ['chat, held at output', completes('sorrel-hold'), COMPLETED, { inspect: 'stopped' }],
    ['chat, an invalid user token', chat('x', {}, { userToken: 'x' }), 'authenticate admit record', { identify: 'stopped' }],
    ['models [GW-PIPE-4]', () => sendTo('models'), 'authenticate admit authorize route record', {}],
    ['audit, nothing found', () => sendTo('audit'), 'authenticate admit record', { authorize: 'stopped' }],
    ['knowledge search, not enabled', () => sendTo('knowledge_search'), IDENTIFIED, { authorize: 'stopped' }],
    ['memory search, not enabled', () => sendTo('memory_search'), IDENTIFIED, { authorize: 'stopped' }],
    ['memory capture, not enabled', () => sendTo('memory_capture'), IDENTIFIED, { authorize: 'stopped' }],
  ])('%s', async (_, send, ok, others) => {
    expect(await outcomes(await send())).toEqual(expectedOutcomes(ok, others))
  })
  test('audit [GW-PIPE-8]', async () => {
    const { audit_id } = expectSuccess(await governed.chat('Good morning')).governance
    const response = await governed.api('GET', `/v1/audit/${audit_id}`)
    expect(await outcomes(response)).toEqual(expectedOutcomes('authenticate admit authorize record'))
  })
  test.each(ENDPOINTS)('$name: responses and errors have x-audit-id [GW-PIPE-12]', async ({ name }) => {
    const response = await sendTo(name)
    expect(response.headers.get('x-audit-id')).toMatch(/^aud_/)
    if (response.status >= 400) expect(response.body.error.audit_id).toBe(response.headers.get('x-audit-id'))
  })
})

describe('a request that stage 2 refuses is logged and counted, not recorded [GW-PIPE-10]', () => {
  test.each([
    ['401', 'AUTH_INVALID_KEY', () => governed.chat('x', {}, { token: 'gk_unknown' })],
    ['400', 'VALIDATION_ERROR', () => governed.chat('x', { temperature: 'hot' })],
    [
      '429',
      'RATE_LIMITED',
      async () => {
        const { token } = await governed.application({ limits: { requests_per_minute: 1, burst: 1 } })
        await governed.chat('x', {}, { token })
        return governed.chat('x', {}, { token })
      },
    ],
  ] as const)('%s', async (status, code, refusal) => {
    const counter = `gatehouse_requests_total{endpoint="chat",status="${status}",code="${code}"}`
    const counted = async () => Number((await governed.api('GET', '/metrics')).text.split(`${counter} `)[1]?.split('\n')[0] ?? 0)
    const before = await counted()
    const response = await refusal()
    const { headers } = response
    expect(expectError(response, code).audit_id).toBeUndefined()
    expect(headers.get('x-audit-id')).toBeNull()
    expect(await counted()).toBe(before + 1)
    const lines = governed.server.logs().split('\n')
    expect(lines.find((line) => line.includes(headers.get('x-request-id') ?? '?'))).toContain(
      `"status":${status},"code":"${code}"`,
    )
  })
})

describe('knowledge and memory endpoints of an Application without both', () => {
  test.each([
    ['knowledge_search', 'knowledge'],
    ['memory_search', 'memory'],
    ['memory_capture', 'memory'],
  ])('%s: 400 VALIDATION_ERROR, not enabled, recorded [GW-KNOW-5, GW-MEMS-5, GW-MEMC-11]', async (name, feature) => {
    const { token } = await governed.application()
    for (const options of [{}, { token }]) {
      const { message, audit_id } = expectError(await sendTo(name, options), 'VALIDATION_ERROR')
      expect(message).toMatch(
        new RegExp(
          `^${feature} is not enabled for this Application. Turn on ${feature} under Applications › .+ › Settings.$`,
          'i',
        ),
      )
      const record = await governed.api('GET', `/v1/audit/${audit_id}`, options)
      expect(record.body).toMatchObject({ endpoint: name, status: 400, error_code: 'VALIDATION_ERROR' })
    }
  })
  test.each([
    ['content', { content: undefined }],
    ['governance', { governance: 'x' }],
    ['governance.session_id', { governance: { session_id: 5 } }],
  ])('CaptureRequest %s of another type: 400 names the field [GW-MEMC-1]', async (field, change) => {
    const json = { content: 'x', scope: 'application', kind: 'fact', classification: 'internal', ...change }
    expect(expectError(await governed.post('/v1/memory/capture', json), 'VALIDATION_ERROR').param).toBe(field)
  })
})
