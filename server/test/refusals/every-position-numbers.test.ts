import { describe, expect, test } from 'vitest'
import { parserOf } from '../../src/api/gateway/chat.ts'
import { anthropicMessages } from '../../src/dialects/anthropic-messages/anthropic-messages.ts'
import type { ClientDialect } from '../../src/dialects/client-dialect.ts'
import { openaiChat } from '../../src/dialects/openai-chat/openai-chat.ts'
import { openaiResponses } from '../../src/dialects/openai-responses/openai-responses.ts'
import { parseBody } from '../../src/pipeline/request.ts'
import { collectTexts } from '../../src/shared/message.ts'
import {
  type Application,
  DEFAULT_LIMITS,
  DEFAULT_SETTINGS,
  UNKNOWN_FIELDS,
  type UnknownFields,
} from '../../src/shared/principal.ts'
import { MAXIMAL_REQUESTS } from '../support/maximal/requests.ts'
import { withValueEverywhere } from '../support/mutations.ts'

/** Thousands of bodies, so they are parsed without a server; `numbers.test.ts` sends some of them. */
const DIALECTS: Readonly<Record<string, ClientDialect>> = {
  '/v1/chat/completions': openaiChat,
  '/v1/messages': anthropicMessages,
  '/v1/responses': openaiResponses,
}
const REQUESTS = MAXIMAL_REQUESTS.filter(({ path }) => path in DIALECTS)
const SLOW_MS = 120_000

/** The number of a card: as a number of JavaScript, and with digits that these cannot hold. */
const WRITTEN = ['4111111111111111', '4111111111111111.0', '0e4111111111111111']
/** `JSON.stringify` writes the text of the number unchanged; the compiler's library does not have it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object }

/** No provider gets these fields (GW-RESP-9). */
const NOT_SENT = /^client_metadata|\.logprobs\[/

const applicationWith = (unknown_fields: UnknownFields): Application => ({
  id: 'app_1',
  workspaceId: 'wks_1',
  name: 'test',
  models: null,
  providers: null,
  defaultModel: null,
  ceiling: 'restricted',
  settings: { ...DEFAULT_SETTINGS, extensions: ['tools', 'content_parts', 'developer_role'], unknown_fields },
  limits: DEFAULT_LIMITS,
})

/** Whether detectors read the number, or the body is 400. */
function isReadOrRefused(path: string, body: unknown, application: Application): boolean {
  const parse = parserOf(DIALECTS[path] ?? openaiChat, {
    chatLimits: { bodyBytes: 2 ** 24, messages: 2_048, contentBytes: 2 ** 22 },
  })
  const bytes = Buffer.from(JSON.stringify(body))
  const parsed = parseBody({ body: bytes, parse: (...parameters) => parse(...parameters).parsed }, application, 32)
  if (!parsed.ok) return true
  const { messages, parameters } = parsed.request
  return [...collectTexts(messages), ...collectTexts(parameters)].some((text) => /(?<![\w.])4111111111111111(?![\w.])/.test(text))
}

describe.each(UNKNOWN_FIELDS)('unknown_fields: %s', (unknownFields) => {
  const application = applicationWith(unknownFields)
  test.each(REQUESTS)('number: detectors read it at every place of $api for $model', { timeout: SLOW_MS }, ({ path, body }) => {
    const unread = WRITTEN.flatMap((written) =>
      withValueEverywhere(body, rawJSON(written))
        .filter(({ at, value }) => !NOT_SENT.test(at) && !isReadOrRefused(path, value, application))
        .map(({ at }) => `${at}: ${written}`),
    )
    expect(unread).toEqual([])
  })
})
