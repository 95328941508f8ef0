import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { inject } from 'vitest'
import { expectEnvelope, type GatewayResponse, toGatewayResponse } from '../support/gateway-client.ts'

/** `npm test` takes this share of the cases. */
export const SHARE = inject('isFull') ? 1 : 0.1
/** Reproduce a failure with FUZZ_SEED. */
export const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121)

interface Options {
  /** Cases that are sent at the same time, in one run of a property. */
  readonly atOnce: number
  readonly limitMs: number
}

/** Sends generated cases with `send`, and counts the statuses of their responses. */
export function caseChecker<C>(send: (one: C) => Promise<number>, { atOnce, limitMs }: Options) {
  const seen = new Map<number, number>()
  return {
    seen,
    sent: () => [...seen.values()].reduce((sum, count) => sum + count, 0),
    /** Sends `count` generated cases. */
    check: (one: fc.Arbitrary<C>, count: number) =>
      fc.assert(
        fc.asyncProperty(fc.array(one, { minLength: atOnce, maxLength: atOnce }), async (batch) => {
          for (const status of await Promise.all(batch.map(send))) seen.set(status, (seen.get(status) ?? 0) + 1)
        }),
        {
          seed: SEED,
          numRuns: Math.ceil((count * SHARE) / atOnce),
          interruptAfterTimeLimit: limitMs,
          markInterruptAsFailure: true,
        },
      ),
  }
}

export interface HttpCase {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Sends a request without a socket. Throws for a 5xx, for an error without the envelope, and without a request id. */
export async function injectCase(
  app: FastifyInstance,
  token: string,
  { method, path, headers, body }: HttpCase,
): Promise<GatewayResponse> {
  const response = await app.inject({
    method: method as 'POST',
    url: path,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { payload: body }),
  })
  const { statusCode } = response
  if (!response.headers['x-request-id']) throw new Error('no x-request-id')
  if (statusCode >= 500) throw new Error(`${statusCode} ${response.body.slice(0, 500)}`)
  const answer = toGatewayResponse(statusCode, new Headers(response.headers as Record<string, string>), response.body)
  if (statusCode >= 400) expectEnvelope(answer)
  return answer
}
