import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { MAXIMAL_RESPONSES } from '../support/maximal/responses.ts'
import { withValueEverywhere } from '../support/mutations.ts'
import { json, plainJson } from '../support/scripted-provider.ts'
import { MODELS, startOwnUpstreams, type UpstreamModel } from '../support/three-upstreams.ts'
import { streamTextOf } from '../support/upstream-stream.ts'

let respond: (response: ServerResponse) => void
const fixture = await closeAfterAll(startOwnUpstreams())
const { governed, providers } = fixture
await governed.publish([{ id: 'redact', at: ['output'], when: 'true', transforms: ['redact:pii'] }])
const token = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token
for (const provider of Object.values(providers)) provider.on('greet', (response: ServerResponse) => respond(response))

/** A test sends hundreds of requests. */
const SLOW_MS = 300_000

const NAME = 'ottilie.brandt'
const ADDRESS = `${NAME}@example.com`
const CLIENTS: Readonly<Record<string, (model: UpstreamModel) => readonly [path: string, body: object]>> = {
  'chat completions': (model) => [
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: 'greet' }], logprobs: model !== 'claude' },
  ],
  Messages: (model) => ['/v1/messages', { model, max_tokens: 100, messages: [{ role: 'user', content: 'greet' }] }],
  Responses: (model) => ['/v1/responses', { model, input: 'greet', store: false }],
}

async function ask(client: string, model: UpstreamModel, stream: boolean) {
  const [path, body] = CLIENTS[client]?.(model) ?? []
  const options = { token, headers: { 'anthropic-version': '2023-06-01' } }
  const { status, text } = await fixture.governed.post(String(path), { ...body, stream }, options)
  return { status, text: stream && status === 200 ? `${text}\n${joinedDeltas(text)}` : text }
}

/** Events of one shape differ in their texts and numbers. */
const shapeOf = (event: string): string =>
  JSON.stringify(JSON.parse(event), (name, value: unknown) =>
    name !== 'type' && /string|number/.test(typeof value) ? '' : value,
  )

async function askHealthy(client: string, model: UpstreamModel): Promise<void> {
  respond = (response) => json(response, 200, MAXIMAL_RESPONSES[model])
  expect((await ask(client, model, false)).status).toBe(200)
}

/** The texts of a stream's events, joined by the names of their fields. */
function joinedDeltas(stream: string): string {
  const joined: Record<string, string> = {}
  const add = (value: unknown, name: string): void => {
    if (typeof value === 'string') joined[name] = (joined[name] ?? '') + value
    else if (typeof value === 'object' && value !== null) for (const [key, inner] of Object.entries(value)) add(inner, key)
  }
  for (const [, data = ''] of stream.matchAll(/^data: (\{.*)$/gm)) add(JSON.parse(data), '')
  return Object.values(joined).join('\n')
}

/** The places from which the text reached the client. */
async function escapes(
  client: string,
  model: UpstreamModel,
  stream: boolean,
  values: readonly { at: string; value: unknown }[],
  send: (response: ServerResponse, value: unknown) => void,
) {
  const escaped: string[] = []
  let redacted = 0
  for (const { at, value } of values) {
    respond = (response) => send(response, value)
    const { status, text } = await ask(client, model, stream)
    // Several failures in a row would open the breaker.
    if (status >= 500) await askHealthy(client, model)
    if (status === 500 || text.includes(NAME)) escaped.push(`${at}: ${status}`)
    if (text.includes('[EMAIL]')) redacted += 1
  }
  return { escaped, redacted }
}

describe.each(MODELS)('response of the model %s', (model) => {
  const whole = MAXIMAL_RESPONSES[model]

  test.each(Object.keys(CLIENTS))(
    'redaction: no place of a response escapes it for a client of %s',
    { timeout: SLOW_MS },
    async (client) => {
      for (const stream of [false, true]) {
        respond = (response) => json(response, 200, whole)
        const plain = await ask(client, model, stream)
        expect(plain).toEqual({ status: 200, text: expect.stringContaining('look_up') })
        const { escaped, redacted } = await escapes(
          client,
          model,
          stream,
          withValueEverywhere(whole, ADDRESS),
          (response, value) => plainJson(response, 200, value),
        )
        expect(escaped).toEqual([])
        expect(redacted).toBeGreaterThan(5)
      }
    },
  )

  test('redaction: no place of an event of a stream escapes it', { timeout: SLOW_MS }, async () => {
    const lines = (streamTextOf(whole) ?? '').split('\n')
    const shapes = new Set<string>()
    const values = lines.flatMap((line, index) => {
      const event = line.startsWith('data: {') ? line.slice('data: '.length) : undefined
      if (event === undefined || shapes.has(shapeOf(event))) return []
      shapes.add(shapeOf(event))
      return withValueEverywhere(JSON.parse(event), ADDRESS).map(({ at, value }) => ({
        at: `line ${index}: ${at}`,
        value: lines.with(index, `data: ${JSON.stringify(value)}`).join('\n'),
      }))
    })
    const { escaped, redacted } = await escapes(
      'chat completions',
      model,
      false,
      values,
      (response, value) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(String(value)),
    )
    expect(escaped).toEqual([])
    expect(redacted).toBeGreaterThan(5)
  })

  test('errors: no text of the provider reaches clients or logs', { timeout: SLOW_MS }, async () => {
    const error = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'No.', code: 'invalid_value', param: 'messages[0].content' },
      request_id: 'req_1',
    }
    for (const status of [400, 401, 404, 429, 500]) {
      for (const { value } of withValueEverywhere(error, ADDRESS)) {
        respond = (response) =>
          plainJson(response, status, value, { 'x-request-id': ADDRESS, 'retry-after': '1', 'set-cookie': ADDRESS })
        const { text } = await ask('chat completions', model, false)
        expect(text).not.toContain(NAME)
        await askHealthy('chat completions', model)
      }
    }
    expect(fixture.governed.server.logs()).not.toContain(NAME)
  })
})
