import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { completion, plainJson, says, startScriptedProvider, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { streamTextOf } from '../support/upstream-stream.ts'

const ANSWER = 'Good morning to all of you.'
const STREAM = streamTextOf(completion(ANSWER)) ?? ''
/** Text of the provider that must not reach a client. */
const SECRET = 'upstream-private-diagnostics'
const MODELS = {
  patient: { idle_timeout_ms: 60_000 },
  hasty: { idle_timeout_ms: 1_000 },
  steady: { idle_timeout_ms: 3_000 },
  plain: { stream: false },
}

const spare = await closeAfterAll(startScriptedProvider())
const governed = await closeAfterAll(sharedGoverned())
const { admin, provider } = governed
const declare = async (id: string, more: object) => {
  expectSuccess(await admin('POST', '/providers', { json: { id, base_url: provider.url, max_retries: 1, ...more } }), 201)
  expectSuccess(await admin('PUT', `/providers/${id}/models/${id}`, { json: {} }))
}
for (const [id, more] of Object.entries(MODELS)) await declare(id, more)
await declare('spare', { base_url: spare.url, weight: 0 })
for (const id of ['openai', 'spare']) expectSuccess(await admin('PUT', `/providers/${id}/models/shared`, { json: {} }))
const token = (await governed.application()).token

const send = (prompt: string, more: object = {}): Promise<GatewayResponse> =>
  governed.chat(prompt, { model: 'patient', ...more }, { token })
const outcomesOf = async (response: GatewayResponse) =>
  ((await governed.recordOf(response)).attempts as { provider: string; outcome: string }[]).map(
    ({ provider, outcome }) => `${provider} ${outcome}`,
  )
const contentOf = (response: GatewayResponse) => expectSuccess(response).choices[0]?.message.content

/** Sends a part of a stream and leaves the response open. */
const begin = (response: ServerResponse, text = STREAM.slice(0, STREAM.length / 2)): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text.slice(0, text.lastIndexOf('\n\n') + 2))
}
const FAULTS = {
  truncated: (response: ServerResponse) => {
    begin(response)
    setTimeout(() => response.destroy(), 20)
  },
  'truncated at its end': (response: ServerResponse) => {
    begin(response)
    response.end('data: [DONE]\n\n')
  },
  malformed: (response: ServerResponse) => {
    begin(response)
    response.end(`data: ${SECRET}\n\n`)
  },
  error_event: (response: ServerResponse) => {
    begin(response)
    response.end(`data: {"error":{"message":"${SECRET}","code":502}}\n\n`)
  },
}
const FAULT_NAMES = Object.keys(FAULTS) as (keyof typeof FAULTS)[]
/** The first request fails, all others get the answer. */
const failsOnce = (fault: keyof typeof FAULTS) => {
  let count = 0
  return (response: ServerResponse) =>
    count++ === 0 ? FAULTS[fault](response) : void plainJson(response, 200, completion(ANSWER))
}

describe('failure in mid-stream [GW-PROV-10]', () => {
  test.each(FAULT_NAMES)('stream: the client gets the complete retry when the first stream is %s', async (fault) => {
    for (const stream of [false, true]) {
      const key = word()
      governed.provider.on(key, failsOnce(fault))
      const response = await send(key, { stream })
      expect(response.status).toBe(200)
      expect(response.text.match(/Good morning/g)).toHaveLength(1)
      expect(await outcomesOf(response)).toEqual([`patient ${fault.split(' ')[0]}`, 'patient ok'])
      expect(response.text).not.toContain(SECRET)
    }
  })

  test('stream: another provider answers when each stream of the first one fails', async () => {
    const key = word()
    governed.provider.on(key, FAULTS.error_event)
    spare.on(key, says('From the spare one.'))
    const response = await send(key, { model: 'shared' })
    expect(contentOf(response)).toBe('From the spare one.')
    expect((await outcomesOf(response)).at(-1)).toBe('spare ok')
  })

  test('stream: an error that names a wrong request is not retried', async () => {
    const key = word()
    const error = { type: 'BadRequestError', code: 400, message: 'This model has a maximum context length of 4096 tokens.' }
    governed.provider.on(key, (response) => {
      begin(response)
      response.end(`data: ${JSON.stringify({ error })}\n\n`)
    })
    const { details } = expectError(await send(key), 'VALIDATION_ERROR')
    expect(details).toMatchObject({ provider_code: 'context_length_exceeded' })
    expect(governed.provider.callsWith(key)).toHaveLength(1)
  })

  test('stream: the release of a hold is not sent again when its stream fails', async () => {
    const held = await governed.holdPrompt()
    governed.provider.on(held.word, FAULTS.truncated)
    await governed.decide(held.id, 'approve')
    expectError(await governed.resubmit(held), 'PROVIDER_ERROR')
    expect(governed.countProviderCalls(held)).toBe(1)
  })
})

describe('limits', () => {
  test('idle limit: ends a stream that has only comments', async () => {
    const key = word()
    governed.provider.on(key, (response) => {
      begin(response)
      const timer = setInterval(() => response.write(': still here\n\n'), 50)
      response.on('close', () => clearInterval(timer))
    })
    const response = await send(key, { model: 'hasty' })
    expectError(response, 'PROVIDER_TIMEOUT')
    expect(await outcomesOf(response)).toEqual(['hasty timeout'])
  })

  test('idle limit: a stream may take longer while events arrive', async () => {
    const key = word()
    governed.provider.on(key, async (response) => {
      const events = STREAM.split(/(?<=\n\n)/)
      begin(response, events[0])
      for (const event of events.slice(1)) {
        await sleep(Math.ceil(3_900 / events.length))
        response.write(event)
      }
      response.end()
    })
    expect(contentOf(await send(key, { model: 'steady' }))).toBe(ANSWER)
  })

  test('size: the request is cancelled as soon as the response is too large', async () => {
    const key = word()
    const closed = Promise.withResolvers<number>()
    const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(65_536) } }] })}\n\n`
    governed.provider.on(key, (response) => {
      let sent = 0
      const write = () => {
        while (!response.destroyed && response.write(piece)) sent += piece.length
        sent += piece.length
      }
      response.on('drain', write).on('close', () => closed.resolve(sent))
      begin(response)
      write()
    })
    const response = await send(key)
    expectError(response, 'PROVIDER_ERROR')
    expect(await outcomesOf(response)).toEqual(['patient too_large'])
    expect(await closed.promise).toBeLessThan(64 * 1_048_576)
  })

  test('disconnect: the request is cancelled in mid-stream [GW-PROV-11]', async () => {
    const key = word()
    const closed = Promise.withResolvers<void>()
    const caller = new AbortController()
    governed.provider.on(key, (response) => {
      response.on('close', () => closed.resolve())
      begin(response)
      setTimeout(() => caller.abort(), 50)
    })
    await expect(governed.chat(key, { model: 'patient' }, { token, signal: caller.signal })).rejects.toThrow()
    await closed.promise
    expect(governed.provider.callsWith(key)).toHaveLength(1)
  })
})

describe('forms of the response [GW-PROV-9]', () => {
  test('stream: is complete at its last event when the provider leaves the connection open', async () => {
    const key = word()
    const closed = Promise.withResolvers<unknown>()
    governed.provider.on(key, (response) => {
      begin(response, STREAM)
      closed.resolve(once(response, 'close'))
    })
    expect(contentOf(await send(key))).toBe(ANSWER)
    await closed.promise
  })

  test('complete response: is read like a stream, with the same usage in the record', async () => {
    const [streamed, plain] = [word(), word()]
    governed.provider.on(streamed, says(ANSWER))
    governed.provider.on(plain, (response) => plainJson(response, 200, completion(ANSWER)))
    const responses = [await send(streamed), await send(plain)]
    expect(responses.map(contentOf)).toEqual([ANSWER, ANSWER])
    expect(responses[0]?.body.usage).toEqual(responses[1]?.body.usage)
    for (const response of responses) {
      expect((await governed.recordOf(response)).attempts).toMatchObject([
        { outcome: 'ok', prompt_tokens: 11, completion_tokens: 7 },
      ])
    }
  })

  test('setting: the provider gets no stream options when its streams are off', async () => {
    const key = word()
    expect(contentOf(await send(key, { model: 'plain', stream_options: { include_usage: true }, stream: false }))).toContain(key)
    const [call] = governed.provider.callsWith(key)
    expect(call?.body.stream).toBe(false)
    expect(call?.body).not.toHaveProperty('stream_options')
  })

  test('setting: an operator turns streams off and on', async () => {
    const patch = (json: object) => governed.admin('PATCH', '/providers/plain', { json })
    expect(expectSuccess(await patch({ stream: true })).stream).toBe(true)
    expect(expectSuccess(await patch({ stream: false })).stream).toBe(false)
  })
})
