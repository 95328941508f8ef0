import type { Problem } from '../../platform/lib/schema.ts'
import { findUrlProblem } from '../../platform/lib/url-guard.ts'
import { parseAwsKeys } from './aws-keys.ts'
import type { ProviderKind } from './kinds.ts'
import { parseServiceAccount } from './service-account.ts'
import { parseServicePrincipal } from './service-principal.ts'

const MAX_LENGTH = 8_000
const PRINTABLE = new RegExp(`^[!-~]{1,${MAX_LENGTH}}$`)

/** The problem of a provider's key, in words that continue the field's name; undefined: none. `allowPrivate`: for the addresses in it. */
export function findApiKeyProblem(kind: ProviderKind, apiKey: string, allowPrivate: boolean): Problem | undefined {
  const message = problemOf(kind, apiKey, allowPrivate)
  return message === undefined ? undefined : { param: 'api_key', message }
}

function problemOf(kind: ProviderKind, apiKey: string, allowPrivate: boolean): string | undefined {
  if (kind === 'vertex') {
    return accountProblem(apiKey, parseServiceAccount, 'the JSON text of the key file of a service account', allowPrivate)
  }
  if (kind === 'azure-openai' && apiKey.trimStart().startsWith('{')) {
    const form = 'the key of a resource, or the JSON text of a service principal with appId, password and tenant'
    return accountProblem(apiKey, parseServicePrincipal, form, allowPrivate)
  }
  return textProblem(kind, apiKey)
}

function textProblem(kind: ProviderKind, apiKey: string): string | undefined {
  if (!PRINTABLE.test(apiKey)) return 'must be printable ASCII without spaces'
  if (kind === 'bedrock' && apiKey.includes(':') && !parseAwsKeys(apiKey))
    return 'must be a Bedrock API key, or access key id:secret access key, with :session token if there is one'
  return undefined
}

function accountProblem(
  apiKey: string,
  parse: (text: string) => { readonly tokenUri: string } | undefined,
  form: string,
  allowPrivate: boolean,
): string | undefined {
  const account = apiKey.length <= MAX_LENGTH ? parse(apiKey) : undefined
  if (!account) return `must be ${form}`
  const problem = findUrlProblem(account.tokenUri, allowPrivate)
  return problem && `has a token_uri that ${problem}`
}
