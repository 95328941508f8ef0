import { VisuallyHidden } from '@mantine/core'
import { Fragment } from 'react'
import { findingName } from '../../ui/finding-names.ts'
import classes from './held-text.module.css'
import type { Mark } from './review-item.ts'

interface HeldTextProps {
  readonly text: string
  /** Those of this text. */
  readonly marks: readonly Mark[]
}

/** A text with what the detectors found in it highlighted. */
export function HeldText({ text, marks }: HeldTextProps) {
  return (
    <p className={classes.text}>
      {piecesOf(text, marks).map(({ start, words, types }) =>
        types.length === 0 ? (
          <Fragment key={start}>{words}</Fragment>
        ) : (
          <mark key={start} className={lookOf(types)} title={types.map(findingName).join(', ')}>
            {words}
            <VisuallyHidden> ({types.map(findingName).join(', ')}) </VisuallyHidden>
          </mark>
        ),
      )}
    </p>
  )
}

const lookOf = ([type = '']: readonly string[]): string => classes[type.split('.')[0] ?? ''] ?? classes.mark ?? ''

/** The text cut wherever a mark begins or ends: marks of different groups may overlap. */
function piecesOf(text: string, marks: readonly Mark[]) {
  const cuts = [...new Set([0, text.length, ...marks.flatMap(({ start, end }) => [start, end])])].toSorted((a, b) => a - b)
  return cuts.slice(0, -1).map((start, index) => ({
    start,
    words: text.slice(start, cuts[index + 1]),
    types: marks.filter((mark) => mark.start <= start && start < mark.end).map(({ type }) => type),
  }))
}
