import { diffIndices } from 'node-diff3'
import { choicesIn, type Message, partsOf } from './content-parts.ts'
import type { HeldContent, Mark, Preview } from './review-item.ts'

type Released = NonNullable<Preview['released']>
type Place = Pick<Mark, 'message' | 'part' | 'parameter'>

/** A text with more words is marked as a whole between its first and its last change. */
const MAX_WORDS = 4_000

/** Marks of what a release changes, in the released texts. Messages that are put before the held ones are new as a whole. */
export function changedMarks(held: HeldContent, { messages = [], parameters, completion }: Released): Mark[] {
  const added = messages.length - held.messages.length
  const completions = [held.completion, completion].map((one) => choicesIn(one)[0] ?? {})
  return [
    ...messages.flatMap((message, index) => marksOfMessage(held.messages[index - added] ?? {}, message, index)),
    ...marksOfMessage(completions[0] ?? {}, completions[1] ?? {}, null),
    ...marksOfParameter(held.parameters, parameters, ''),
  ]
}

function marksOfMessage(before: Message, after: Message, message: number | null): Mark[] {
  const held = partsOf(before.content)
  return partsOf(after.content).flatMap(({ text = '' }, part) =>
    marksOfText(held[part]?.text ?? '', text, { message, part, parameter: null }),
  )
}

function marksOfParameter(before: unknown, after: unknown, parameter: string): Mark[] {
  if (typeof after === 'string') return marksOfText(String(before ?? ''), after, { message: null, part: null, parameter })
  if (typeof after !== 'object' || after === null) return []
  const held = (before ?? {}) as Readonly<Record<string, unknown>>
  return Object.entries(after).flatMap(([name, value]) =>
    marksOfParameter(held[name], value, `${parameter}/${escapePointer(name)}`),
  )
}

function marksOfText(before: string, after: string, place: Place): Mark[] {
  if (before === after) return []
  const [old, next] = [wordsOf(before), wordsOf(after)]
  const same = old.findIndex((word, index) => word !== next[index])
  const first = same < 0 ? old.length : same
  let end = 0
  while (end < Math.min(old.length, next.length) - first && old.at(-1 - end) === next.at(-1 - end)) end += 1
  const [oldMiddle, middle] = [old.slice(first, old.length - end), next.slice(first, next.length - end)]
  const ranges =
    oldMiddle.length + middle.length > MAX_WORDS
      ? [[0, middle.length] as const]
      : diffIndices(oldMiddle, middle).map(({ buffer2: [from, length] }) => [from, from + length] as const)
  const offset = lengthOf(next.slice(0, first))
  return ranges
    .filter(([from, to]) => to > from)
    .map(([from, to]) => {
      const start = offset + lengthOf(middle.slice(0, from))
      return { ...place, type: 'changed', start, end: start + lengthOf(middle.slice(from, to)) }
    })
}

const wordsOf = (text: string): readonly string[] & string[] => text.match(/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []

const lengthOf = (words: readonly string[]): number => words.reduce((sum, word) => sum + word.length, 0)

/** Escapes a name in a JSON Pointer (RFC 6901). */
export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
