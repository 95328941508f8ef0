import { type Static, Type } from 'typebox'
import type { HoldContent } from '../../../domains/review/review.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { FINDING_TYPES, type Finding } from '../../../shared/finding.ts'
import type { ChatMessage } from '../../../shared/message.ts'

const nullableIndex = (description: string) => Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })

export const MarkView = Type.Object({
  message: nullableIndex('Index in `content.messages`. null: `content.completion` or a parameter.'),
  part: nullableIndex('Index of the content part. null when the content is one text.'),
  parameter: Type.Union([Type.String(), Type.Null()], {
    description: 'JSON Pointer of the text in `content.parameters`. null: the text is in a message or the completion.',
  }),
  type: oneOf(FINDING_TYPES),
  start: Type.Integer({ minimum: 0, description: 'Start in the text, in UTF-16 units.' }),
  end: Type.Integer({ minimum: 0, description: 'End in the text (exclusive), in UTF-16 units.' }),
})
type Mark = Static<typeof MarkView>

interface Place extends Pick<Mark, 'message' | 'part' | 'parameter'> {
  readonly text: string
}

/** Findings of the current detectors in held content: for display, not for decisions. */
export function findMarks(
  content: HoldContent,
  findInTexts: (texts: readonly string[]) => readonly (readonly Finding[])[],
): Mark[] {
  const places = placesIn(content)
  const findings = findInTexts(places.map(({ text }) => text))
  return places.flatMap(({ message, part, parameter }, index) =>
    (findings[index] ?? []).map(({ type, start, end }) => ({ message, part, parameter, type, start, end })),
  )
}

const placesIn = ({ messages, parameters, completion }: HoldContent): readonly Place[] => [
  ...messages.flatMap((message, index) => messagePlaces(message, index)),
  ...parameterPlaces('', parameters),
  ...(completion?.choices.slice(0, 1).flatMap(({ message }) => messagePlaces(message, null)) ?? []),
]

function messagePlaces({ content }: Pick<ChatMessage, 'content'>, message: number | null): readonly Place[] {
  if (typeof content === 'string') return [{ message, part: null, parameter: null, text: content }]
  return (content ?? []).flatMap(({ text }, part) => (typeof text === 'string' ? { message, part, parameter: null, text } : []))
}

function parameterPlaces(pointer: string, value: unknown): readonly Place[] {
  if (typeof value === 'string') return [{ message: null, part: null, parameter: pointer, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => parameterPlaces(`${pointer}/${escapePointer(name)}`, field))
}

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
