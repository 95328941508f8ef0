import { useTranslation } from 'react-i18next'
import { findingLabel } from '../../ui/finding-labels.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import type { Mark } from './review-item.ts'

interface HeldTextProps {
  readonly text: string
  readonly marks: readonly Mark[]
}

/** A text of an item with highlighted findings, matches of rules, or changes. */
export function HeldText({ text, marks }: HeldTextProps) {
  const { t } = useTranslation('reviews')
  const labelOf = (type: string) =>
    type === 'changed' ? t('preview.changed') : type === 'rule' ? t('content.ruleMatch') : findingLabel(type)
  return <MarkedText text={text} marks={marks} labelOf={labelOf} />
}
