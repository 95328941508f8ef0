import { VisuallyHidden } from '@mantine/core'
import { Fragment } from 'react'
import { findingLabel } from '../../ui/finding-labels.ts'
import classes from './held-text.module.css'
import type { Mark } from './review-item.ts'

interface HeldTextProps {
  readonly text: string
  /** Marks of this text. */
  readonly marks: readonly Mark[]
}

/** A text with highlighted findings. */
export function HeldText({ text, marks }: HeldTextProps) {
  return (
    <p className={classes.text}>
      {piecesOf(text, marks).map(({ start, content, types }) =>
        types.length === 0 ? (
          <Fragment key={start}>{content}</Fragment>
        ) : (
          <mark key={start} className={classOf(types)} title={types.map(findingLabel).join(', ')}>
            {content}
            <VisuallyHidden> ({types.map(findingLabel).join(', ')}) </VisuallyHidden>
          </mark>
        ),
      )}
    </p>
  )
}

const classOf = ([type = '']: readonly string[]): string => classes[type.split('.')[0] ?? ''] ?? classes.mark ?? ''

/** Splits the text where marks begin or end, because marks can overlap. */
function piecesOf(text: string, marks: readonly Mark[]) {
  const cuts = [...new Set([0, text.length, ...marks.flatMap(({ start, end }) => [start, end])])].toSorted((a, b) => a - b)
  return cuts.slice(0, -1).map((start, index) => ({
    start,
    content: text.slice(start, cuts[index + 1]),
    types: marks.filter((mark) => mark.start <= start && start < mark.end).map(({ type }) => type),
  }))
}
