import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { type ChatOptions, EMBEDDINGS, expectError, expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { embeddingList, json, says, word } from '../support/scripted-provider.ts'

const governed = await closeAfterAll(startGoverned())
beforeEach(() => governed.provider.reset())

type Fields = Readonly<Record<string, unknown>>

const embed = (input: unknown, more: Fields = {}, options: ChatOptions & { path?: string } = {}): Promise<GatewayResponse> =>
  governed.post(options.path ?? EMBEDDINGS, { model: 'scripted', input, ...more }, options)
const vectorsOf = (response: GatewayResponse) => expectSuccess(response).data.map(({ embedding }) => embedding)

describe('embeddings: response', () => {
  test.each([EMBEDDINGS, '/embeddings'])('one vector for a single text at %s [GW-PATH-9, GW-EMB-9]', async (path) => {
    const response = await embed('Good morning', {}, { path })
    expect(expectSuccess(response)).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0, 12, 0.5] }],
      model: 'scripted',
      usage: { prompt_tokens: 9, total_tokens: 9 },
      governance: {
        audit_id: response.headers.get('x-audit-id'),
        decision: { verdict: 'allow', transforms: [], directives: [] },
        risk_level: 'low',
        user_verified: false,
        provider: 'openai',
      },
    })
    expect(governed.provider.calls).toHaveLength(1)
    expect(governed.provider.calls[0]).toMatchObject({
      path: '/v1/embeddings',
      body: { model: 'scripted', input: 'Good morning' },
    })
  })

  test('one vector for each text, in the order of the inputs, when the provider sends another order [GW-EMB-1, GW-EMB-9]', async () => {
    const key = word()
    governed.provider.on(key, (response, { body }) => {
      const list = embeddingList(body)
      json(response, 200, { ...list, data: list.data.toReversed() })
    })
    expect(vectorsOf(await embed([key, 'two', 'three!']))).toEqual([
      [0, 10, 0.5],
      [1, 3, 0.5],
      [2, 6, 0.5],
    ])
  })

  test('base64 when the client requests it, also of a provider that sends numbers [GW-EMB-3]', async () => {
    const key = word()
    governed.provider.on(key, (response, { body }) => json(response, 200, embeddingList({ input: body.input })))
    for (const input of ['Good morning', key]) {
      const [vector] = vectorsOf(await embed(input, { encoding_format: 'base64' }))
      const bytes = Buffer.from(String(vector), 'base64')
      expect([bytes.readFloatLE(4), bytes.readFloatLE(8)]).toEqual([input.length, 0.5])
    }
    expect(governed.provider.calls.map(({ body }) => body.encoding_format)).toEqual(['base64', 'base64'])
  })

  test('the model is the name that the client used, and the default model when there is none [GW-EMB-2]', async () => {
    expect(expectSuccess(await embed('x', { model: 'openai/scripted' })).model).toBe('openai/scripted')
    const { token } = await governed.application({ default_model: 'scripted' })
    expect(expectSuccess(await embed('x', { model: null }, { token })).model).toBe('scripted')
  })

  test('no other field of the provider is passed on, because no detector reads the response [GW-EMB-9]', async () => {
    const key = word()
    governed.provider.on(key, (response, { body }) => {
      const { data, ...list } = embeddingList(body)
      const note = 'jane@example.org'
      json(response, 200, { ...list, data: data.map((item) => ({ ...item, note })), note })
    })
    expect((await embed(key)).text).not.toContain('jane')
  })

  test('the demo provider answers with vectors that depend on the text and have the requested dimensions [GW-EMB-12]', async () => {
    const texts = ['green apples', 'green apples', 'slow train']
    const vectors = vectorsOf(await embed(texts, { model: 'demo-mini', dimensions: 32 }))
    const [first, second, third] = vectors as number[][]
    expect(first).toHaveLength(32)
    expect(second).toEqual(first)
    expect(third).not.toEqual(first)
    expect(Math.hypot(...(first ?? []))).toBeCloseTo(1)
  })
})

describe('embeddings: request', () => {
  test('fields reach the provider unchanged, and null means absent [GW-EMB-4, GW-EMB-5]', async () => {
    const more = { dimensions: 3, user: 'u-1', input_type: 'query' }
    const absent = { encoding_format: null, truncate: null }
    const governance = { user: { id: 'jane' }, session_id: 's-1' }
    expectSuccess(await embed(['a', 'b'], { ...more, ...absent, governance }))
    expect(governed.provider.calls[0]?.body).toEqual({ model: 'scripted', input: ['a', 'b'], ...more })
  })

  test.each([
    ['missing', undefined, 'input'],
    ['null', null, 'input'],
    ['empty', '', 'input'],
    ['a number', 5, 'input'],
    ['an empty list', [], 'input'],
    ['an empty text in a list', ['a', ''], 'input[1]'],
    ['a list of tokens', [1, 2, 3], 'input'],
    ['lists of tokens', [[1, 2, 3]], 'input'],
    ['an object', [{ image: 'x' }], 'input'],
    ['2,049 texts', Array.from({ length: 2_049 }, () => 'x'), 'input'],
  ])('400 names input when it is %s [GW-EMB-1]', async (_, input, param) => {
    expect(expectError(await embed(input), 'VALIDATION_ERROR').param).toBe(param)
    expect(governed.provider.calls).toEqual([])
  })
  test('2,048 texts are accepted [GW-EMB-1]', async () => {
    expect(vectorsOf(await embed(Array.from({ length: 2_048 }, () => 'x')))).toHaveLength(2_048)
  })

  test.each([
    ['dimensions', 0],
    ['dimensions', 1.5],
    ['encoding_format', 'int8'],
    ['user', 5],
    ['model', 'a b'],
    ['governance', 'x'],
    ['governance.session_id', 5],
    ['governance.user.id', ''],
    ['messages', [{ role: 'user', content: 'x' }]],
    ['stream', true],
    ['base_url', 'http://example.org'],
    ['extra_body.input', 'x'],
    ['extra_body.base_url', 'x'],
  ])('400 names %s when it is %j [GW-EMB-4, GW-EMB-5]', async (param, value) => {
    const body = param
      .split('.')
      .toReversed()
      .reduce<unknown>((inner, name) => ({ [name]: inner }), value) as Fields
    expect(expectError(await embed('x', body), 'VALIDATION_ERROR').param).toBe(param)
    expect(governed.provider.calls).toEqual([])
  })

  test('413 names the setting when a text is too long [GW-EMB-6]', async () => {
    const error = expectError(await embed(['a', 'x'.repeat(4 * 1_048_576 + 1)]), 'PAYLOAD_TOO_LARGE')
    expect(error).toMatchObject({ param: 'input[1]', details: { setting: 'GATEHOUSE_MAX_CONTENT_BYTES' } })
  })
})

describe('embeddings: policies', () => {
  test('403 and no provider call when a rule denies any of the texts [GW-EMB-7]', async () => {
    const response = await embed(['Good morning', 'juniper-deny', 'Good night'])
    const error = expectError(response, 'POLICY_DENIED')
    expect(error).toMatchObject({ audit_id: expect.any(String), details: { rules: ['juniper-deny'], point: 'input' } })
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(governed.provider.calls).toEqual([])
    expect(await governed.recordOf(response)).toMatchObject({ status: 403, decision: { verdict: 'deny' }, attempts: [] })
  })

  test('403 that says so, without a review item, when a rule requires approval [GW-EMB-7]', async () => {
    const response = await embed('juniper-hold')
    const error = expectError(response, 'POLICY_DENIED')
    expect(error.message).toContain('requires approval')
    expect(error.review_item_id).toBeUndefined()
    expect(error.details).toEqual({ point: 'input', reason: 'approval_required', rules: ['juniper-hold'] })
    expect(governed.provider.calls).toEqual([])
    expect(await governed.recordOf(response)).toMatchObject({
      status: 403,
      decision: { verdict: 'require_approval' },
      review: null,
    })
  })

  test('200 and an escalation for reviewers when a rule escalates [GW-EMB-7]', async () => {
    const response = await embed('juniper-escalate')
    expect(expectSuccess(response).governance.decision.verdict).toBe('escalate')
    expect(await governed.recordOf(response)).toMatchObject({ review: { state: 'pending' }, decision: { verdict: 'escalate' } })
    const { data } = expectSuccess(await governed.admin('GET', '/reviews?limit=100'))
    expect(data).toContainEqual(expect.objectContaining({ kind: 'escalation', endpoint: 'embeddings' }))
  })

  test('redacted texts reach the provider when a transform applies [GW-EMB-8]', async () => {
    const response = await embed(['juniper-redact', 'Write to jane.doe@example.org today', 'Good night'])
    expect(expectSuccess(response).governance.decision.transforms).toEqual(['redact:pii'])
    expect(governed.provider.calls[0]?.body.input).toEqual(['juniper-redact', 'Write to [EMAIL] today', 'Good night'])
  })

  test('texts of other fields are governed as well [GW-EMB-5]', async () => {
    expectSuccess(await embed('juniper-redact', { instruction: 'Ask jane.doe@example.org', user: 'jane.doe@example.org' }))
    expect(governed.provider.calls[0]?.body).toMatchObject({ instruction: 'Ask [EMAIL]', user: '[EMAIL]' })
  })

  test('a secret that is split over consecutive texts is found [GW-EMB-8]', async () => {
    const response = await embed(['the key is AKIAIOSF', 'ODNN7EXAMPLE'])
    const { findings } = await governed.recordOf(response)
    expect(findings).toMatchObject({ classify: { secret: expect.any(Number) } })
  })

  test('directives restrict the providers, and system texts and token limits are not sent [GW-EMB-8]', async () => {
    expect(expectError(await embed('juniper-nowhere'), 'NO_ELIGIBLE_PROVIDER').param).toBe('model')
    expect(expectError(await embed('juniper-cheap'), 'NO_ELIGIBLE_PROVIDER').param).toBe('model')
    expect(governed.provider.calls).toEqual([])
    expectSuccess(await embed('juniper-system juniper-tokens'))
    expect(governed.provider.calls[0]?.body).toEqual({ model: 'scripted', input: 'juniper-system juniper-tokens' })
  })

  test('conditions see the endpoint embeddings and the number of texts [GW-POL-15]', async () => {
    const when = 'request.endpoint == "embeddings" && request.message_count == 2'
    await governed.publish([{ id: 'two', at: ['input'], when, verdict: 'deny' }])
    expectSuccess(await embed('a'))
    expectError(await embed(['a', 'b']), 'POLICY_DENIED')
    expectSuccess(await governed.chat('a'))
    await governed.publish(MARKER_RULES)
  })

  test('a chat with the same text that is held at output does not hold the embeddings [GW-EMB-7]', async () => {
    const prompt = word()
    governed.provider.on(prompt, (response, call) =>
      call.path.endsWith('/embeddings') ? json(response, 200, embeddingList(call.body)) : says('sorrel-hold')(response, call),
    )
    expectError(await governed.chat(prompt), 'POLICY_REVIEW_PENDING')
    expectSuccess(await embed(prompt))
  })

  test('a dry run calls no provider and answers 200 with the verdict of a real run [GW-EMB-12]', async () => {
    const governance = { dry_run: true }
    for (const [text, verdict] of [
      ['Good morning', 'allow'],
      ['juniper-deny', 'deny'],
      ['juniper-hold juniper-nowhere', 'require_approval'],
    ]) {
      const response = await embed(text, { governance })
      expect(expectSuccess(response)).toMatchObject({ governance: { dry_run: true, decision: { verdict } } })
      expect(response.body.data).toHaveLength(1)
      expect(await governed.recordOf(response)).toMatchObject({ dry_run: true, endpoint: 'embeddings' })
    }
    expect(governed.provider.calls).toEqual([])
  })
})
