import type { ChatMessage } from '../../shared/message.ts'
import type { HoldContent } from './review.ts'

const MAX_LENGTH = 160
/** Of a long text only the start is read: it can be a megabyte. */
const MAX_READ = 4_000

/** The first line of what is held: the completion, or the last message of the user. Undefined: it has no text. */
export function excerptOf({ messages, completion }: HoldContent): string | undefined {
  const asked = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1)
  const held = completion ? completion.choices[0]?.message : asked
  const line = lineOf(held?.content)
  if (line === undefined || line.length <= MAX_LENGTH) return line
  // No part of a surrogate pair or of a word stays at the end.
  return `${line.slice(0, MAX_LENGTH).replace(/(?:\s\S*|[\ud800-\udbff])$/, '')}…`
}

function lineOf(content: ChatMessage['content']): string | undefined {
  const texts =
    typeof content === 'string' ? [content] : (content ?? []).map(({ text }) => (typeof text === 'string' ? text : ''))
  const text = texts.join(' ').slice(0, MAX_READ).replaceAll(/\s+/g, ' ').trim()
  return text === '' ? undefined : text
}
