import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { ERRORS, type ErrorCode } from '../../src/errors.ts'
import { classOf, errorOf } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { fieldsOf, impatient, OFFICIAL_CLIENTS } from '../support/official-clients.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { streamTextOf } from '../support/upstream-stream.ts'

// Failures of a provider, as the official clients see them in each client API.

/** Text of the provider that must not reach a client. */
const SECRET = 'upstream-private-diagnostics'
const EVENTS = (streamTextOf(completion('Good morning to all of you.')) ?? '').split(/(?<=\n\n)/)
/** How often the official clients send a request that they may repeat. */
const TRIES = 3

const governed = await closeAfterAll(sharedGoverned())
const apiKey = (await governed.application()).token

type Behaviour = (response: ServerResponse) => void

const failing =
  (status: number, error: object = {}, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    json(response, status, { error: { message: SECRET, ...error } }, headers)

const waiting = (status: number, retryAfter: number) => ({
  behaviour: failing(status, {}, { 'retry-after': String(retryAfter) }),
  retryAfter,
})

/** Sends the beginning of a stream. */
const begin = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(EVENTS.slice(0, 3).join(''))
}

/** Sends the events of a text that does not end, until the connection closes. */
const drip: Behaviour = (response) => {
  begin(response)
  const timer = setInterval(() => response.write(EVENTS[2]), 20)
  response.on('close', () => clearInterval(timer))
}

interface Failure {
  readonly behaviour: Behaviour
  readonly code: ErrorCode
  readonly errorClass: string
  /** The SDK's error class by client API, where it differs from `errorClass`. */
  readonly ownClass?: Readonly<Record<string, string>>
  /** How often the client sends the request, and the provider gets it. */
  readonly tries: number
  readonly details?: object
  /** Seconds. */
  readonly retryAfter?: number
  /** Limits of the provider. */
  readonly limits?: object
}

const OUTAGE = { code: 'PROVIDER_ERROR', errorClass: 'InternalServerError', tries: TRIES } as const
const TIMED_OUT = { ...OUTAGE, code: 'PROVIDER_TIMEOUT', ownClass: { messages: 'GatewayTimeoutError' } } as const
const FAULT = { code: 'PROVIDER_ERROR', errorClass: 'InternalServerError', tries: 1 } as const
const LIMITED = { code: 'RATE_LIMITED', errorClass: 'RateLimitError', details: { reason: 'provider_rate_limited' } } as const

const FAILURES: Readonly<Record<string, Failure>> = {
  'responds with 500': { ...OUTAGE, behaviour: failing(500) },
  'responds with 503 and a Retry-After': { ...OUTAGE, ...waiting(503, 20) },
  'responds with 503 and a long Retry-After': { ...OUTAGE, tries: 1, ...waiting(503, 120) },
  'responds with 429': { ...LIMITED, tries: TRIES, ...waiting(429, 30) },
  'responds with 429 and a long Retry-After': { ...LIMITED, tries: 1, ...waiting(429, 120) },
  'has an empty account': { ...FAULT, behaviour: failing(429, { code: 'insufficient_quota', type: 'insufficient_quota' }) },
  'rejects the key': { ...FAULT, behaviour: failing(401, { code: 'invalid_api_key' }) },
  'does not have the model': {
    ...{ code: 'VALIDATION_ERROR', errorClass: 'BadRequestError', tries: 1 },
    details: { reason: 'provider_refused', provider_code: 'model_not_found' },
    behaviour: failing(404, { code: 'model_not_found' }),
  },
  'breaks in mid-stream': {
    ...OUTAGE,
    behaviour: (response) => {
      begin(response)
      setTimeout(() => response.destroy(), 10)
    },
  },
  'sends nothing': { ...TIMED_OUT, behaviour: () => {}, limits: { idle_timeout_ms: 200 } },
  'stops sending in mid-stream': { ...TIMED_OUT, behaviour: begin, limits: { idle_timeout_ms: 200 } },
  'exceeds the total time': { ...TIMED_OUT, behaviour: drip, limits: { timeout_ms: 200 } },
}

/** Declares a provider with one model that fails in this way. Each test has a separate provider, because failures open its circuit breaker. */
async function declare({ behaviour, limits = {} }: Failure): Promise<{ readonly model: string; readonly prompt: string }> {
  const [id, prompt] = [word(), word()]
  governed.provider.on(prompt, behaviour)
  const provider = { id, base_url: governed.provider.url, api_key: 'sk-scripted', max_retries: 0, timeout_ms: 60_000, ...limits }
  expectSuccess(await governed.admin('POST', '/providers', { json: provider }), 201)
  expectSuccess(await governed.admin('PUT', `/providers/${id}/models/${id}`, { json: {} }))
  return { model: id, prompt }
}

const CASES = Object.entries(OFFICIAL_CLIENTS).flatMap(([client, send]) =>
  Object.entries(FAILURES).flatMap(([name, failure]) => [false, true].map((stream) => ({ client, send, name, failure, stream }))),
)

describe('failures of the provider [GW-PROV-1, GW-PROV-2, GW-PROV-5, GW-PROV-18, GW-RETRY-1]', () => {
  test.concurrent.each(CASES)(
    '$client, stream $stream: the error has its class, code and record, and is retried as it may be, when the provider $name',
    async ({ client, send, stream, failure }) => {
      const { code, errorClass, ownClass, tries, details, retryAfter } = failure
      const { prompt, model } = await declare(failure)
      const responses: Response[] = []
      const waits: number[] = []
      const sent = { base: governed.base, apiKey, prompt, model }
      const error = await errorOf(send(sent, { stream, responses, fetch: impatient(waits) }))
      const { status } = ERRORS[code]
      expect({ class: classOf(error), status: (error as { status?: number }).status }).toEqual({
        class: ownClass?.[client] ?? errorClass,
        status,
      })
      const fields = fieldsOf(error)
      expect(fields).toMatchObject({ code, message: expect.stringMatching(/\w/), ...(details && { details }) })
      expect(JSON.stringify(fields)).not.toContain(SECRET)

      const headers = responses.map((response) => response.headers)
      expect(headers.map((each) => each.get('x-should-retry'))).toEqual(
        Array.from({ length: tries }, () => (tries > 1 ? null : 'false')),
      )
      expect(headers.every((each) => each.get('content-type')?.startsWith('application/json'))).toBe(true)
      expect(waits).toEqual(retryAfter === undefined ? [] : Array.from({ length: tries }, () => retryAfter))
      expect(governed.provider.callsWith(prompt)).toHaveLength(tries)

      const auditId = headers.at(-1)?.get('x-audit-id') ?? ''
      expect(fields.audit_id).toBe(auditId)
      const record = expectSuccess(await governed.api('GET', `/v1/audit/${auditId}`, { token: apiKey }))
      expect(record).toMatchObject({ status, error_code: code, attempts: [{ provider: model }], response: null })
    },
  )
})
