import { AwsV4Signer } from 'aws4fetch'
import { bedrockUpstream } from '../../dialects/anthropic-messages/bedrock.ts'
import { isObject } from '../../platform/lib/untrusted-json.ts'
import type { Authorize } from './access-tokens.ts'
import type { ProviderAdapter } from './adapter.ts'
import { type AwsKeys, parseAwsKeys } from './credentials.ts'
import { DEPLOYMENT_PLACEHOLDER } from './kinds.ts'
import { openaiAdapter, openaiUpstream } from './openai-adapter.ts'
import type { ProviderSettings } from './provider.ts'

const INVOKE_PATH = `/model/${DEPLOYMENT_PLACEHOLDER}/invoke`
const INVOKE_STREAM_PATH = `${INVOKE_PATH}-with-response-stream`
/** `anthropic.claude-…`, `us.anthropic.claude-…`, and ARNs that name them. */
const ANTHROPIC_MODEL = /(?:^|[./])anthropic\./
const RUNTIME_HOST = /^bedrock-runtime(?=[-.].*\.amazonaws\.com(?:\.cn)?$)/

/** ARNs of application profiles do not name the vendor: a declared path that ends in /invoke says so for all models of the provider. */
const hasMessagesApi = ({ path }: ProviderSettings, model: string): boolean =>
  path.endsWith('/invoke') || ANTHROPIC_MODEL.test(model)

/**
 * Amazon Bedrock: models of Anthropic by InvokeModel, all others by the chat completions API. The key is that of an AWS account, with
 * which every request is signed, or a Bedrock API key.
 */
export const bedrockAdapter: ProviderAdapter = {
  chatApi: (provider, { name }) =>
    hasMessagesApi(provider, name)
      ? {
          dialect: bedrockUpstream(provider.headers['anthropic-beta']),
          path: provider.stream ? INVOKE_STREAM_PATH : INVOKE_PATH,
          streamFormat: 'aws-event-stream',
        }
      : { dialect: openaiUpstream, path: provider.path, streamFormat: 'server-sent-events' },
  hasEmbeddings: false,
  headers: [],
  keyHeaders: (apiKey) => (parseAwsKeys(apiKey) ? [] : openaiAdapter.keyHeaders(apiKey)),
  authorizer: ({ region }, apiKey, { origin }) => {
    const keys = parseAwsKeys(apiKey)
    return keys && signer(keys, region ?? '', origin)
  },
  modelsPath: (base) => `${base}/foundation-models`,
  modelsOrigin: ({ protocol, host }) => `${protocol}//${host.replace(RUNTIME_HOST, 'bedrock')}`,
  readModels: (page) => {
    if (!isObject(page) || !Array.isArray(page.modelSummaries)) return undefined
    const summaries: unknown[] = page.modelSummaries
    const texts = summaries.filter(
      (summary) => isObject(summary) && Array.isArray(summary.outputModalities) && summary.outputModalities.includes('TEXT'),
    )
    return { entries: texts.map((summary) => ({ id: isObject(summary) ? summary.modelId : undefined })) }
  },
}

/** Signature Version 4, for each attempt: it covers the body and the time. */
const signer =
  (keys: AwsKeys, region: string, origin: string): Authorize =>
  async ({ method, path, headers, body, now }) => {
    const datetime = new Date(now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
    const pairs = headers.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : [],
    )
    const request = { method, url: origin + path, headers: pairs, body: body ?? '' }
    const signed = await new AwsV4Signer({ ...request, ...keys, region, service: 'bedrock', datetime }).sign()
    return { ok: true, headers: [...signed.headers].flat() }
  }
