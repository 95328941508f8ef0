import type { ChatMessage } from '../shared/message.ts'
import type { OriginalRequest } from '../shared/original-request.ts'

/**
 * Runs of messages of the chat form, up to but not including `to`, and the items that they were made from, in their order. One item may
 * have become several messages, and several items one message.
 */
export function segmentsOf(
  { messages: before, origins }: Pick<OriginalRequest, 'messages' | 'origins'>,
  messages: readonly ChatMessage[],
  items: readonly unknown[],
) {
  const segments: { messages: { from: number; to: number }; from: number; to: number; isChanged: boolean }[] = []
  for (const [index, origin] of origins.entries()) {
    if (origin === 'system') continue
    const isChanged = messages[index] !== before[index]
    const last = segments.at(-1)
    if (last && origin.from <= last.to) {
      last.messages.to = index + 1
      last.to = Math.max(last.to, origin.to)
      last.isChanged ||= isChanged
    } else {
      // An item without content became no message, so it belongs to the segment of the next one.
      segments.push({ messages: { from: index, to: index + 1 }, from: last ? last.to + 1 : 0, to: origin.to, isChanged })
    }
  }
  const last = segments.at(-1)
  if (last) last.to = items.length - 1
  return segments.map(({ from, to, ...segment }) => ({ ...segment, items: items.slice(from, to + 1) }))
}
