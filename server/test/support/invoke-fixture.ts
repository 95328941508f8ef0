import { afterAll, beforeEach } from 'vitest'
import { chatOperation } from '../../src/domains/providers/chat-operation.ts'
import { Health } from '../../src/domains/providers/health.ts'
import { type InvokeDeps, type InvokeOptions, type InvokeResult, invoke } from '../../src/domains/providers/invoke.ts'
import type { ProviderRequest } from '../../src/domains/providers/operation.ts'
import type { Provider } from '../../src/domains/providers/provider.ts'
import type { Completion } from '../../src/shared/completion.ts'
import { type Behaviour, faultyProvider, respond, UPSTREAM_SECRET } from './faulty-provider.ts'
import { testPools, testProvider } from './providers.ts'

const REQUEST = { model: 'small', messages: [{ role: 'user', content: 'Good morning' }], parameters: {} }

/** How long a circuit breaker stays open. */
export const OPEN_MS = 3_000

interface WithProvider {
  readonly provider: Provider
}

/** Dependencies of `invoke` with real upstream servers, for the tests of one file. Each test starts with a new Health. */
export function invokeFixture() {
  const pools = testPools()
  let deps: InvokeDeps
  beforeEach(() => {
    const health = new Health({ openMs: OPEN_MS })
    deps = { pools, health, clock: { now: () => new Date() }, newId: (prefix) => `${prefix}_1`, random: () => 1, backoffMs: 10 }
  })
  afterAll(() => pools.close())

  return {
    /** A provider whose server behaves as listed, one behaviour for each request; the last one stays. */
    async startProvider(behaviours: readonly Behaviour[], change: Partial<Provider> = {}) {
      const upstream = await faultyProvider(...behaviours)
      const provider = testProvider({ baseUrl: upstream.baseUrl, timeoutMs: 20_000, ...change })
      return { provider, upstream, requestCount: () => upstream.calls.length }
    },
    /** Sends one request to the providers in their order. */
    send: (
      providers: readonly WithProvider[],
      options?: InvokeOptions,
      change: Partial<ProviderRequest> = {},
    ): Promise<InvokeResult<Completion>> =>
      invoke(
        providers.flatMap(({ provider }) => provider.models.slice(0, 1).map((model) => ({ provider, model }))),
        chatOperation({ ...REQUEST, ...change }),
        deps,
        options,
      ),
    changeDeps: (change: Partial<InvokeDeps>): void => {
      deps = { ...deps, ...change }
    },
    health: (): Health => deps.health,
    circuits: (...providers: readonly WithProvider[]) => providers.map(({ provider }) => deps.health.status(provider).circuit),
  }
}

/** `<provider> <outcome>` of each attempt. */
export const outcomes = ({ attempts }: Pick<InvokeResult<Completion>, 'attempts'>): string[] =>
  attempts.map(({ provider, outcome }) => `${provider} ${outcome}`)

export const delayed =
  (ms: number, behaviour: Behaviour): Behaviour =>
  (socket, call) =>
    void setTimeout(behaviour, ms, socket, call)

/** An error response with a code of the OpenAI API. */
export const failWithCode = (status: number, code: string, headers: Record<string, string> = {}): Behaviour =>
  respond({ error: { message: UPSTREAM_SECRET, type: 'invalid_request_error', param: null, code } }, { status, headers })
