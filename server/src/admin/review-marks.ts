import { type Static, Type } from 'typebox'
import { oneOf } from '../applications/shapes.ts'
import type { Detector } from '../classification/detector.ts'
import { scan } from '../classification/scan.ts'
import { FINDING_TYPES } from '../domain/finding.ts'
import type { ChatMessage } from '../domain/message.ts'
import type { HoldContent } from '../review/review.ts'

const place = (description: string) => Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })

/** A span of a held text that a detector points at. */
export const MarkView = Type.Object({
  message: place('Index in `content.messages`; null: the answer, `content.completion`, or a parameter.'),
  part: place('Index of the content part; null where the content is one text.'),
  parameter: Type.Union([Type.String(), Type.Null()], {
    description: 'JSON Pointer of the text in `content.parameters`; null: it is in a message or the answer.',
  }),
  type: oneOf(FINDING_TYPES),
  start: Type.Integer({ minimum: 0, description: 'In UTF-16 units, of the text there.' }),
  end: Type.Integer({ minimum: 0, description: 'After its last unit.' }),
})
type Mark = Static<typeof MarkView>

interface Place extends Pick<Mark, 'message' | 'part' | 'parameter'> {
  readonly text: string
}

/** Where in a held content the detectors of today find something: for the eye, not for a decision. */
export function marksOf(content: HoldContent, options: { detectors: readonly Detector[]; budgetMs: number }): Mark[] {
  const places = placesIn(content)
  const { findings } = scan(
    places.map(({ text }) => text),
    options,
  )
  return places.flatMap(({ message, part, parameter }, index) =>
    (findings[index] ?? []).map(({ type, start, end }) => ({ message, part, parameter, type, start, end })),
  )
}

const placesIn = ({ messages, parameters, completion }: HoldContent): readonly Place[] => [
  ...messages.flatMap((message, index) => textsIn(message, index)),
  ...textsAt('', parameters),
  ...(completion?.choices.slice(0, 1).flatMap(({ message }) => textsIn(message, null)) ?? []),
]

function textsIn({ content }: Pick<ChatMessage, 'content'>, message: number | null): readonly Place[] {
  if (typeof content === 'string') return [{ message, part: null, parameter: null, text: content }]
  return (content ?? []).flatMap(({ text }, part) => (typeof text === 'string' ? { message, part, parameter: null, text } : []))
}

function textsAt(pointer: string, value: unknown): readonly Place[] {
  if (typeof value === 'string') return [{ message: null, part: null, parameter: pointer, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => textsAt(`${pointer}/${escaped(name)}`, field))
}

/** RFC 6901. */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
