import { VisuallyHidden } from '@mantine/core'
import { Fragment } from 'react'
import { findingLabel } from './finding-labels.ts'
import classes from './marked-text.module.css'

interface TextMark<Type extends string = string> {
  /** A type of finding, or another word that `labelOf` knows. */
  readonly type: Type
  readonly start: number
  readonly end: number
}

interface MarkedTextProps {
  readonly text: string
  readonly marks: readonly TextMark[]
  readonly labelOf?: (type: string) => string
}

/** A text with highlighted findings or changes. */
export function MarkedText({ text, marks, labelOf = findingLabel }: MarkedTextProps) {
  const labelsOf = (types: readonly string[]) => types.map(labelOf).join(', ')
  return (
    <p className={classes.text}>
      {piecesOf(text, marks).map(({ start, content, types }) =>
        types.length === 0 ? (
          <Fragment key={start}>{content}</Fragment>
        ) : (
          <mark key={start} className={classOf(types)} title={labelsOf(types)}>
            {content}
            <VisuallyHidden> ({labelsOf(types)}) </VisuallyHidden>
          </mark>
        ),
      )}
    </p>
  )
}

const classOf = ([type = '']: readonly string[]): string => classes[type.split('.')[0] ?? ''] ?? classes.mark ?? ''

/** Splits the text where marks begin or end, because marks can overlap. */
export function piecesOf<Type extends string>(text: string, marks: readonly TextMark<Type>[]) {
  const cuts = [...new Set([0, text.length, ...marks.flatMap(({ start, end }) => [start, end])])].toSorted((a, b) => a - b)
  return cuts.slice(0, -1).map((start, index) => ({
    start,
    content: text.slice(start, cuts[index + 1]),
    types: marks.filter((mark) => mark.start <= start && start < mark.end).map(({ type }) => type),
  }))
}
