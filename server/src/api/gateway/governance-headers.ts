import type { IncomingMessage } from 'node:http'
import { type governanceOf, unknownFieldsOf } from '../../pipeline/governance-block.ts'
import type { PipelineResult } from '../../pipeline/pipeline-result.ts'
import type { IncomingRequest } from '../../pipeline/request.ts'
import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'
import { invalid, withClientField } from './request-fields.ts'

type Parse = IncomingRequest['parse']

interface GovernanceHeader {
  readonly name: string
  /** The field of the governance block, or of its `user`. */
  readonly field: string
  readonly isOfUser?: boolean
  /** The JSON value. A text that has none stays a text, which the schema of the body refuses. */
  readonly toJson?: (text: string) => unknown
}

const toBoolean = (text: string): unknown => (text === 'true' || text === 'false' ? text === 'true' : text)
const toInteger = (text: string): unknown => (/^\d{1,9}$/.test(text) ? Number(text) : text)

/** The governance block for clients that cannot send a field of their own in the body (GW-GOV-5). */
const HEADERS: readonly GovernanceHeader[] = [
  { name: 'x-gatehouse-user', field: 'id', isOfUser: true },
  { name: 'x-gatehouse-user-role', field: 'role', isOfUser: true },
  { name: 'x-gatehouse-user-department', field: 'department', isOfUser: true },
  { name: 'x-gatehouse-session', field: 'session_id' },
  { name: 'x-gatehouse-dry-run', field: 'dry_run', toJson: toBoolean },
  { name: 'x-gatehouse-review-item', field: 'review_item_id' },
  { name: 'x-gatehouse-wait-seconds', field: 'wait_for_approval_seconds', toJson: toInteger },
]

/** Undefined: not percent-encoded UTF-8. Node decodes other bytes as Latin-1, so a name would be another one than in a body. */
export function decodeHeader(value: string): string | undefined {
  try {
    return /^[ -~]*$/.test(value) ? decodeURIComponent(value) : undefined
  } catch {
    return undefined
  }
}

/** `parse` for the body together with the governance headers of the request. Its problems name the header that a value came from. */
export const withGovernanceHeaders =
  (request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>, parse: Parse): Parse =>
  (body, application, context) => {
    const sent = HEADERS.filter(({ name }) => request.headers[name] !== undefined)
    if (sent.length === 0 || !isObject(body) || !isObject(body.governance ?? {})) return parse(body, application, context)
    let governance = (body.governance ?? {}) as Fields
    for (const header of sent) {
      const added = addHeader(governance, header, headerValues(request, header.name))
      if ('problem' in added) return invalid({ param: header.name, message: added.problem })
      governance = added.governance
    }
    return withClientField(parse({ ...body, governance }, application, context), headerOf(sent))
  }

type Added = { readonly governance: Fields } | { readonly problem: string }

function addHeader(governance: Fields, header: GovernanceHeader, texts: readonly string[]): Added {
  const { field, isOfUser = false, toJson = (text) => text } = header
  const [sent = '', ...others] = texts
  if (others.length > 0) return { problem: 'must be sent once' }
  const text = decodeHeader(sent)
  if (text === undefined) return { problem: 'must be percent-encoded UTF-8: J%C3%BCrgen' }
  const block = isOfUser ? (governance.user ?? {}) : governance
  // The schema of the body refuses it.
  if (!isObject(block)) return { governance }
  const value = toJson(text)
  if (block[field] != null && block[field] !== value) return { problem: `must not differ from ${pathOf(header)} of the body` }
  const merged = { ...block, [field]: value }
  return { governance: isOfUser ? { ...governance, user: merged } : merged }
}

const pathOf = ({ field, isOfUser }: GovernanceHeader): string => `governance.${isOfUser ? 'user.' : ''}${field}`

const headerOf =
  (sent: readonly GovernanceHeader[]) =>
  (param: string): string =>
    sent.find((header) => pathOf(header) === param)?.name ?? param

/** Response headers for clients that do not show the governance block (GW-GOV-6). */
export const GOVERNANCE_HEADERS = [
  ...['x-gatehouse-verdict', 'x-gatehouse-risk-level', 'x-gatehouse-user-verified', 'x-gatehouse-dry-run'],
  ...['x-gatehouse-review-item', 'x-gatehouse-unknown-fields', 'x-gatehouse-release'],
] as const

/** Their values. An error has them too: a held request, for example, has its review item. */
export function governanceHeaders(
  { decision, risk_level, user_verified, dry_run, review_item_id }: ReturnType<typeof governanceOf>,
  result: PipelineResult,
): Readonly<Partial<Record<(typeof GOVERNANCE_HEADERS)[number], string>>> {
  const unknown = unknownFieldsOf(result.trace.results)
  const reviewItemId = result.error?.fields?.reviewItemId ?? review_item_id
  return {
    ...(decision && { 'x-gatehouse-verdict': decision.verdict }),
    ...(risk_level && { 'x-gatehouse-risk-level': risk_level }),
    ...(user_verified !== undefined && { 'x-gatehouse-user-verified': String(user_verified) }),
    ...(dry_run && { 'x-gatehouse-dry-run': 'true' }),
    ...(reviewItemId && { 'x-gatehouse-review-item': reviewItemId }),
    ...(unknown.length > 0 && { 'x-gatehouse-unknown-fields': namesIn(unknown) }),
    ...(!result.error && result.trace.results.admit?.request.stream && { 'x-gatehouse-release': 'validated' }),
  }
}

/** Proxies refuse a response whose headers are larger than 4 or 8 kilobytes. */
const MAX_NAMES_LENGTH = 2_000

function namesIn(paths: readonly string[]): string {
  const names = paths.map(encodeURIComponent)
  while (names.join(', ').length > MAX_NAMES_LENGTH) names.pop()
  return names.join(', ')
}

/** Each value of a header as it was sent. Node joins repeated headers, or keeps the first. */
export const headerValues = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
