import { describe, expect, test } from 'vitest'
import { ENDPOINTS, expectError, expectSuccess, type GatewayResponse, type Options } from '../../support/gateway-client.ts'
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

describe('the twelve stages [GW-PIPE-1]', () => {
  test('chat [GW-PIPE-3]', async () => {
    const response = await governed.chat('Good morning')
    expect(await outcomes(response)).toEqual(
      expectedOutcomes('authenticate admit identify classify authorize route invoke inspect record'),
    )
  })
  test('chat, dry run: has the outcomes of a real run', async () => {
    const response = await governed.chat('Good morning', { governance: { dry_run: true } })
    expect(await outcomes(response)).toEqual(
      expectedOutcomes('authenticate admit identify classify authorize route invoke inspect record'),
    )
  })
  test('models [GW-PIPE-4]', async () => {
    expect(await outcomes(await sendTo('models'))).toEqual(expectedOutcomes('authenticate admit authorize route record'))
  })
  test('audit [GW-PIPE-8]', async () => {
    const { audit_id } = expectSuccess(await governed.chat('Good morning')).governance
    const response = await governed.api('GET', `/v1/audit/${audit_id}`)
    expect(await outcomes(response)).toEqual(expectedOutcomes('authenticate admit authorize record'))
  })
  test('audit, nothing found', async () => {
    expect(await outcomes(await sendTo('audit'))).toEqual(expectedOutcomes('authenticate admit record', { authorize: 'stopped' }))
  })
  test.each(['knowledge_search', 'memory_search', 'memory_capture'])('%s, not enabled', async (name) => {
    expect(await outcomes(await sendTo(name))).toEqual(
      expectedOutcomes('authenticate admit identify classify record', { authorize: 'stopped' }),
    )
  })
  test.each([
    ['denied at input', 'juniper-deny', {}, 'authenticate admit identify classify record', { authorize: 'stopped' }],
    ['held at input', 'juniper-hold', {}, 'authenticate admit identify classify record', { authorize: 'stopped' }],
    ['no provider', 'x', { model: 'none' }, 'authenticate admit identify classify authorize record', { route: 'stopped' }],
  ])('chat, %s: stages after the end are skipped [GW-PIPE-2]', async (_, prompt, more, ok, others) => {
    expect(await outcomes(await governed.chat(prompt, more))).toEqual(expectedOutcomes(ok, others))
  })
  test.each(['sorrel-deny', 'sorrel-hold'])('chat, %s: inspect stops', async (completion) => {
    const { response } = await governed.sendPrompt('', { answer: completion })
    expect(await outcomes(response)).toEqual(
      expectedOutcomes('authenticate admit identify classify authorize route invoke record', { inspect: 'stopped' }),
    )
  })
  test('chat, an invalid user token: identify stops', async () => {
    const response = await governed.chat('x', {}, { userToken: 'nonsense' })
    expect(await outcomes(response)).toEqual(expectedOutcomes('authenticate admit record', { identify: 'stopped' }))
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
      expect(message).toContain(`${feature} is not enabled`)
      const record = await governed.api('GET', `/v1/audit/${audit_id}`, options)
      expect(record.body).toMatchObject({ endpoint: name, status: 400, error_code: 'VALIDATION_ERROR' })
    }
  })
  test.each(['/v1/knowledge/search', '/v1/memory/search'])(
    '%s: query is required and not blank [GW-KNOW-1, GW-MEMS-1]',
    async (path) => {
      for (const query of [undefined, '', '   ', 5, null]) {
        expect(expectError(await governed.post(path, { query }), 'VALIDATION_ERROR').param).toBe('query')
      }
    },
  )
  test.each([
    ['content', { content: undefined }],
    ['governance', { governance: 'x' }],
    ['governance.session_id', { governance: { session_id: 5 } }],
  ])('CaptureRequest %s of another type: 400 names the field [GW-MEMC-1]', async (field, change) => {
    const json = { content: 'x', scope: 'application', kind: 'fact', classification: 'internal', ...change }
    expect(expectError(await governed.post('/v1/memory/capture', json), 'VALIDATION_ERROR').param).toBe(field)
  })
})
