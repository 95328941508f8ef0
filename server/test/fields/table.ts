import type { Api } from '../fuzz/codecs/request-bodies.ts'
import { CHAT_FIELDS } from './chat-fields.ts'
import { CHAT_MESSAGE_FIELDS } from './chat-message-fields.ts'
import type { FieldGroup } from './field-group.ts'
import { MESSAGES_FIELDS } from './messages-fields.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { RESPONSES_FIELDS } from './responses-fields.ts'
import { RESPONSES_INPUT_FIELDS } from './responses-input-fields.ts'

export const APIS = ['openai-chat', 'anthropic-messages', 'openai-responses'] as const satisfies readonly Api[]

/** The fields of all client APIs. */
export const FIELD_GROUPS: readonly FieldGroup[] = [
  ...CHAT_FIELDS,
  ...CHAT_MESSAGE_FIELDS,
  ...MESSAGES_FIELDS,
  ...RESPONSES_FIELDS,
  ...RESPONSES_INPUT_FIELDS,
]

/** One value of one field, and what happens to it on the way to a provider of each API, in the order of APIS. */
export interface FieldRow {
  readonly group: FieldGroup
  /** Without indices: `messages[].content[].text`. */
  readonly path: string
  readonly value: unknown
  readonly outcomes: readonly Outcome[]
}

const rowsOf = (group: FieldGroup): readonly FieldRow[] =>
  Object.entries(group.values).flatMap(([name, values]) =>
    values.map((value) => ({
      group,
      path: group.at === '' ? name : `${group.at}.${name}`,
      value,
      outcomes: APIS.map((to) => outcomeOf(group, name, value, to)),
    })),
  )

export const fieldRows = (): readonly FieldRow[] => FIELD_GROUPS.flatMap(rowsOf)
