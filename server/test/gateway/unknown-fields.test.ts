import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { MODELS, startThreeUpstreams } from '../support/three-upstreams.ts'

type Setting = 'name' | 'carry' | 'refuse' | 'standard'
const tokens: Record<Setting, string> = { name: '', carry: '', refuse: '', standard: '' }
const upstreams = await closeAfterAll(startThreeUpstreams())
const extensions = ['tools', 'content_parts', 'developer_role']
for (const unknown_fields of ['name', 'carry', 'refuse'] as const) {
  tokens[unknown_fields] = (await upstreams.governed.application({ settings: { extensions, unknown_fields } })).token
}
tokens.standard = (await upstreams.governed.application({ settings: { extensions } })).token

const user = (content: string, more: object = {}) => [{ role: 'user', content, ...more }]
const APIS = [
  { path: '/v1/chat/completions', model: 'scripted', list: 'messages', body: (text: string) => ({ messages: user(text) }) },
  { path: '/v1/messages', model: 'claude', list: 'messages', body: (text: string) => ({ max_tokens: 9, messages: user(text) }) },
  { path: '/v1/responses', model: 'gpt', list: 'input', body: (text: string) => ({ input: user(text), store: false }) },
] as const

const send = (path: string, json: object, token = tokens.standard) =>
  upstreams.governed.api('POST', path, { token, json, headers: { 'anthropic-version': '2023-06-01' } })

describe.each(APIS)('unknown fields of $path', ({ path, model, list, body }) => {
  const rawOf = (key: string) => upstreams.callsWith(model, key)[0]?.raw ?? ''

  test('default: passed on, and named in the response and in a header [API-BODY-1, GW-FID-4]', async () => {
    const key = word()
    const nested = { [list]: user(key, { naem: 'x' }) }
    const response = await send(path, { model, ...body(key), ...nested, temprature: 0.5, governance: { dryrun: true } })
    const { governance } = expectSuccess(response)
    const unknown = expect.arrayContaining(['temprature', `${list}[0].naem`, 'governance.dryrun'])
    expect(governance.warnings).toHaveLength(3)
    expect(governance.warnings.map((text: string) => text.split(': is not a field that the gateway knows.')[0])).toEqual(unknown)
    expect(decodeURIComponent(response.headers.get('x-gatehouse-unknown-fields') ?? '').split(', ')).toEqual(unknown)
    expect(rawOf(key)).toContain('"temprature":0.5')
    expect(rawOf(key)).toContain('"naem":"x"')
    expect(rawOf(key)).not.toContain('dryrun')
  })

  test('header: stays small when many long names are unknown [GW-FID-4]', async () => {
    const more = Object.fromEntries(Array.from({ length: 20 }, (_, index) => ['字'.repeat(60) + index, null]))
    const response = await send(path, { model, ...body(word()), ...more })
    expect(expectSuccess(response).governance.warnings).toHaveLength(16)
    const header = response.headers.get('x-gatehouse-unknown-fields') ?? ''
    expect(header.length).toBeLessThanOrEqual(2_000)
    expect(decodeURIComponent(header).split(', ')).toEqual(Object.keys(more).slice(0, 3))
  })

  test('stream: names them [GW-FID-4]', async () => {
    const { text } = await send(path, { model, ...body(word()), temprature: 0.5, stream: true })
    expect(text).toContain('temprature: is not a field that the gateway knows.')
  })

  test('refuse: 400 names the field, whatever its value is [GW-FID-4]', async () => {
    for (const value of [0.5, 'x', null, false, '', [], {}]) {
      const key = word()
      const refused = await send(path, { model, ...body(key), temprature: value }, tokens.refuse)
      expect(refused.body.error).toMatchObject({
        code: 'VALIDATION_ERROR',
        param: 'temprature',
        message: 'temprature: is not a field that the gateway knows.',
      })
      expect(rawOf(key)).toBe('')
    }
  })

  test('known fields: no warning [GW-FID-4]', async () => {
    const response = await send(path, {
      model,
      ...body(word()),
      temperature: 0.5,
      metadata: null,
      governance: { dry_run: false },
    })
    expect(expectSuccess(response).governance).not.toHaveProperty('warnings')
    expect(response.headers.get('x-gatehouse-unknown-fields')).toBeNull()
  })

  test.each([null, true, 1, 'x', [], {}])(
    'names: policies read one whose value is %j, and nothing is sent [GW-FID-5]',
    async (value) => {
      const key = word()
      const [message] = body(key)[list as never] as object[]
      for (const more of [
        { 'juniper-deny': value },
        { x_inner: { 'juniper-deny': value } },
        { [list]: [{ ...message, 'juniper-deny': value }] },
        // Names that look like the path of another field.
        { 'governance.juniper-deny': value },
        { [`${list}[0].juniper-deny`]: value },
        { 'governance.user': 'juniper-deny' },
      ]) {
        const response = await send(path, { model, ...body(key), ...more })
        expect(response.body.error).toMatchObject({ code: 'POLICY_DENIED', details: { rules: ['juniper-deny'] } })
      }
      expect(rawOf(key)).toBe('')
    },
  )

  test('names: count as tokens [GW-FID-5]', async () => {
    const tokensOf = async (more: object) => {
      const response = await send(path, { model, ...body('Hello'), ...more, governance: { dry_run: true } })
      return Number(((await upstreams.governed.recordOf(response)).features as Record<string, unknown>)['request.tokens'])
    }
    expect((await tokensOf({ ['word '.repeat(8_000)]: null })) - (await tokensOf({}))).toBeGreaterThan(8_000)
  })

  test('holds: an approval is for all that a provider gets, names and null values included [GW-REV-11]', async () => {
    const key = word()
    const json = { model, ...body(`juniper-hold ${key}`), x_seen: null }
    const { review_item_id } = (await send(path, json)).body.error
    await upstreams.governed.decide(String(review_item_id), 'approve')
    const governance = { review_item_id }
    for (const more of [{ 'another name': null }, { temperature: null }, { x_seen: undefined }, { x_seen: [] }]) {
      const refused = await send(path, { ...json, ...more, governance })
      expect(refused.body.error).toMatchObject({ details: { reason: 'review_request_mismatch' } })
    }
    expect(rawOf(key)).toBe('')
    expectSuccess(await send(path, { ...json, stream: false, governance }))
    expect(rawOf(key)).toContain('"x_seen":null')
  })

  test('null: a provider of another API gets the request without it [GW-FID-4]', async () => {
    const key = word()
    const other = model === 'scripted' ? 'claude' : 'scripted'
    expectSuccess(await send(path, { model: other, ...body(key), x_absent: null }))
    expect(upstreams.callsWith(other, key)[0]?.raw).not.toContain('x_absent')
    const refused = await send(path, { model: other, ...body(key), x_present: 1 })
    expect(refused.body.error).toMatchObject({ code: 'VALIDATION_ERROR', param: 'x_present' })
  })
})

test.each(['carried_fields', 'namespaced_names', 'reasoning_included'])(
  'chat: 400 names %s, a parameter of the gateway, whatever its value is',
  async (name) => {
    for (const model of MODELS)
      for (const value of [null, false, '', [], 'x']) {
        const response = await send('/v1/chat/completions', { model, messages: user(word()), [name]: value })
        expect(response.body.error).toMatchObject({ code: 'VALIDATION_ERROR', param: name })
      }
  },
)

test('metadata of the Messages API: names of carried fields are words by themselves [GW-FID-4]', async () => {
  const body = { model: 'claude', max_tokens: 9, messages: user(word()), metadata: { AKIAQ3EGRWZT5HPLV2NX: 1 } }
  for (const name of ['name', 'carry'] as const) {
    const response = await send('/v1/messages', { ...body, governance: { dry_run: true } }, tokens[name])
    expect((await upstreams.governed.recordOf(response)).findings).toMatchObject({ classify: { 'secret.api_key': 1 } })
  }
})
