import type { Overrides } from '../../src/context.ts'
import type { Environment } from '../../src/platform/config/environment.ts'
import {
  type ChatOptions,
  expectError,
  expectSuccess,
  type Gateway,
  type GatewayResponse,
  gatewayClient,
} from './gateway-client.ts'
import { MARKER_RULES, type MarkerRule, policyDocument } from './marker-policies.ts'
import { type ScriptedProvider, says, startScriptedProvider, word } from './scripted-provider.ts'
import { startServer, type TestServer } from './server.ts'

/** Limits that no test reaches. Limits have their own tests. */
const HIGH_LIMITS = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 10_000 }
/** Without knowledge and memory of the demo, which would appear in every prompt. */
const PLAIN = { knowledge: { enabled: false }, memory: { enabled: false, capture: 'off' } }

/** A prompt, the word that identifies its provider calls, and the gateway's response. */
export interface SentPrompt {
  readonly prompt: string
  readonly word: string
  readonly answer: string
  readonly response: GatewayResponse
}

/** As `Said`, held: `id` is the review item. */
export type HeldPrompt = SentPrompt & { readonly id: string }

export type Governed = Awaited<ReturnType<typeof startGoverned>>

/** The environment variables that configure this provider. */
export const providerEnvironment = ({ url }: Pick<ScriptedProvider, 'url'>) => ({
  OPENAI_API_KEY: 'sk-scripted',
  OPENAI_BASE_URL: url,
  OPENAI_MODELS: 'scripted',
})

/** Starts a server with the scripted provider, the marker policies and high limits. */
export async function startGoverned(env: Environment = {}, overrides: Overrides = {}) {
  const provider = await startScriptedProvider()
  return prepareGoverned(await startServer({ ...providerEnvironment(provider), ...env }, overrides), provider)
}

/** Adds the marker policies and high limits to a running server with this provider. */
export async function prepareGoverned(server: TestServer, provider: ScriptedProvider) {
  const gateway = gatewayClient(server)
  const change = async (id: string | undefined, json: unknown) =>
    expectSuccess(await gateway.admin('PATCH', `/applications/${id}`, { json }))
  /** Creates an Application with the given fields. `token` is its key. */
  const application = async (fields: Readonly<Record<string, unknown>> = {}) => {
    const json = { name: word(), default_model: 'demo-mini', limits: HIGH_LIMITS, ...fields }
    const { id } = expectSuccess(await gateway.admin('POST', '/applications', { json }), 201)
    const { key } = expectSuccess(await gateway.admin('POST', `/applications/${id}/keys`, { json: { name: 'test' } }), 201)
    return { id, token: String(key) }
  }
  /** Creates a provider with one model, which clients name by the second id. */
  const addProvider = async (fields: object, model: object = {}) => {
    const id = word()
    expectSuccess(await gateway.admin('POST', '/providers', { json: { id, max_retries: 0, ...fields } }), 201)
    expectSuccess(await gateway.admin('PUT', `/providers/${id}/models/model-${id}`, { json: model }))
    return { id, model: `model-${id}` }
  }
  const publish = async (rules: readonly MarkerRule[]) => {
    const source = policyDocument(rules)
    return expectSuccess(await gateway.admin('POST', '/policy-sets', { json: { source } }), 201)
  }
  for (const { id } of server.demo.applications) await change(id, { limits: HIGH_LIMITS, settings: PLAIN })
  await publish(MARKER_RULES)
  return {
    server,
    provider,
    ...gateway,
    ...promptSteps(gateway, provider),
    application,
    addProvider,
    /** Changes an Application. */
    change,
    /** Publishes a policy set of exactly these rules. */
    publish,
    close: async () => {
      await server.close()
      await provider.close()
    },
  }
}

export interface PromptOptions {
  /** The content of the provider's completion. */
  readonly answer?: string
  /** Further fields of the body. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly options?: ChatOptions
}

/** The steps that tests combine: send, hold, decide, resubmit. */
function promptSteps({ chat, admin }: Gateway, provider: ScriptedProvider) {
  /** Sends a prompt with a new word and `mark`, the id of a marker rule. */
  const sendPrompt = async (
    mark = '',
    { answer = `Noted: ${word()} ${word()}.`, more, options }: PromptOptions = {},
  ): Promise<SentPrompt> => {
    const key = word()
    provider.on(key, says(answer))
    const prompt = `Please look into ${key} ${mark}`
    return { prompt, word: key, answer, response: await chat(prompt, more, options) }
  }
  const holdPrompt = async (mark = 'juniper-hold', options?: PromptOptions): Promise<HeldPrompt> => {
    const sent = await sendPrompt(mark, options)
    return { ...sent, id: expectError(sent.response, 'POLICY_REVIEW_PENDING').review_item_id }
  }
  return {
    sendPrompt,
    holdPrompt,
    holdCompletion: (options?: PromptOptions): Promise<HeldPrompt> =>
      holdPrompt('', { answer: `sorrel-hold ${word()} ${word()}`, ...options }),
    decide: async (id: string, verb: 'approve' | 'deny', comment = 'looked at') =>
      expectSuccess(await admin('POST', `/reviews/${id}/${verb}`, { json: { comment } })),
    /** Sends the held request again with its review item. */
    resubmit: (
      { prompt, id }: Pick<HeldPrompt, 'prompt' | 'id'>,
      governance: object = {},
      more: object = {},
      options?: ChatOptions,
    ) => chat(prompt, { ...more, governance: { review_item_id: id, ...governance } }, options),
    countProviderCalls: ({ word: key }: Pick<SentPrompt, 'word'>): number => provider.callsWith(key).length,
  }
}
